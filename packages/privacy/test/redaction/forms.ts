// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of shells and workflows.
import { BASE64, BASE64URL, fake, HEX } from './fake.ts';

/** A text, and the parts of it that nobody may see. */
export interface Form {
  readonly name: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

const awsSecret = fake(40, BASE64);
const lines = Array.from({ length: 4 }, () => fake(64, BASE64)).join('\n');
const basic = btoa(`alice:${fake(20)}`);
const key = fake(32);
const long = fake(64, HEX);

/** Secrets that only what stands around them reveals. */
export const FORMS: readonly Form[] = [
  // Key files.
  form('RSA private key', pem('RSA PRIVATE KEY', lines), lines),
  form('OpenSSH private key', pem('OPENSSH PRIVATE KEY', lines), lines),
  form('encrypted private key', pem('ENCRYPTED PRIVATE KEY', lines), lines),
  form('PGP private key', pem('PGP PRIVATE KEY BLOCK', `Version: GnuPG v2\n\n${lines}\n=${fake(4)}`), lines),
  form('private key cut in the middle', `${pem('PRIVATE KEY', lines).slice(0, 200)}`, lines.slice(0, 150)),
  form('private key in JSON', JSON.stringify({ cert: pem('PRIVATE KEY', lines) }), lines.split('\n')),
  form(
    'private key in JSON within JSON',
    JSON.stringify({ a: JSON.stringify({ k: pem('PRIVATE KEY', lines) }) }),
    lines.split('\n'),
  ),
  form('PuTTY private key', `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 4\n${lines}\nPrivate-MAC: ${long}`, [
    lines,
    long,
  ]),
  form('kubeconfig', `users:\n- name: a\n  user:\n    client-key-data: ${fake(400, BASE64)}=`, 'client-key-data: '),
  form('kubeconfig token', `  user:\n    token: ${key}`, key),

  // AWS secret access keys, which have no form of their own.
  form('AWS secret in .env', `AWS_SECRET_ACCESS_KEY=${awsSecret}`, awsSecret),
  form('AWS secret in shell', `export AWS_SECRET_ACCESS_KEY='${awsSecret}'`, awsSecret),
  form('AWS secret in YAML', `  aws_secret_access_key: ${awsSecret}`, awsSecret),
  form('AWS secret in JSON', `{"SecretAccessKey": "${awsSecret}"}`, awsSecret),
  form('AWS secret in the configuration', `[default]\naws_secret_access_key = ${awsSecret}`, awsSecret),
  form('AWS session token', `aws_session_token=${fake(300, BASE64)}`, 'aws_session_token='),
  form('AWS signature', `https://s3.example.org/a?X-Amz-Signature=${long}&x=1`, long),

  // Passwords and other named values.
  form('password in .env', 'DB_PASSWORD=hunter2hunter', 'hunter2hunter'),
  form('password without digits in YAML', 'database:\n  user: app\n  password: swordfish', 'swordfish'),
  form('password of two words in quotes', 'password = "correct horse battery"', 'correct horse battery'),
  form('password with punctuation', "PASSWORD='p@$$;w,or&d)!'", 'p@$$;w,or&d)!'),
  form('short password', 'password: "abcd"', 'abcd'),
  form('DB_PASS', 'DB_PASS=opensesame', 'opensesame'),
  form('PGPASSWORD before a command', 'PGPASSWORD=opensesame psql -h db', 'opensesame'),
  form('a word as JWT_SECRET', 'JWT_SECRET=shibboleth', 'shibboleth'),
  form('SECRET_KEY_BASE', `SECRET_KEY_BASE=${long}`, long),
  form('ENCRYPTION_KEY', `ENCRYPTION_KEY=${key}`, key),
  form('encryptionKey in JSON', `{"encryptionKey":"${key}"}`, key),
  form('signing key', `SIGNING_KEY: ${key}`, key),
  form('API key in a constant', `const apiKey = '${key}';`, key),
  form('API key in an object', `{ apiKey: "${key}" }`, key),
  form('API key in Python', `client = Client(api_key="${key}")`, key),
  form('token in TOML', `auth_token = "${key}"`, key),
  form('token in Ruby', `:access_token => "${key}"`, key),
  form('token in Go', `token := "${key}"`, key),
  form('XML element', `<password>opensesame</password>`, 'opensesame'),
  form('XML attribute', `<add key="ApiKey" value="${key}" />`, key),
  form('.NET connection string', 'Server=db;Database=app;User Id=sa;Password=OpenSesame;Encrypt=true', 'OpenSesame'),
  form('ODBC connection string', 'Driver={PostgreSQL};Uid=app;Pwd=opensesame;', 'opensesame'),
  form(
    'storage connection string',
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${fake(86, BASE64)}==;`,
    'AccountKey=',
  ),
  form(
    'service bus connection string',
    `Endpoint=sb://a/;SharedAccessKeyName=n;SharedAccessKey=${fake(43, BASE64)}=`,
    'SharedAccessKey=',
  ),
  form('variable and value', '{"name":"DB_PASSWORD","value":"opensesame"}', 'opensesame'),
  form('JSON within JSON', String.raw`{"a":"{\"password\":\"opensesame\"}"}`, 'opensesame'),
  form(
    'JSON within JSON within JSON',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ secret: 'opensesame' }) }) }),
    'opensesame',
  ),
  form('npm configuration', `//registry.example.org/:_authToken=${key}`, key),
  form('npm configuration, old', `_auth=${basic}`, basic),
  form('Docker configuration', `{"auths":{"https://index.example.org":{"auth":"${basic}"}}}`, basic),
  form('Terraform variable', `variable "db_password" {\n  default = "opensesame"\n}`, 'opensesame'),
  form('GitHub workflow', `        env:\n          NPM_TOKEN: ${key}`, key),
  form('Java properties', `spring.datasource.password=opensesame`, 'opensesame'),
  form('PHP constant', `define('DB_PASSWORD', 'opensesame');`, 'opensesame'),
  form('SQL', `CREATE USER app WITH PASSWORD 'opensesame';`, 'opensesame'),
  form('MySQL', `CREATE USER 'app'@'%' IDENTIFIED BY 'opensesame';`, 'opensesame'),
  form('redis.conf', 'requirepass opensesame', 'opensesame'),
  form('pgpass', 'db.example.org:5432:app:app:opensesame', 'opensesame'),
  form('said by a person', 'My password is hunter2hunter, please log in.', 'hunter2hunter'),
  form('said with a colon', 'The API key: abc123def456ghi789', 'abc123def456ghi789'),
  form('recovery phrase', `mnemonic: "${PHRASE()}"`, PHRASE()),
  form('client secret', `client_secret=${fake(40, BASE64URL)}`, 'client_secret='),
  form('Django', `SECRET_KEY = 'django-insecure-${fake(50)}'`, "SECRET_KEY = '"),
  form('Rails master key', `RAILS_MASTER_KEY=${fake(32, HEX)}`, 'RAILS_MASTER_KEY='),
  form('Laravel', `APP_KEY=base64:${fake(43, BASE64)}=`, 'APP_KEY='),
  form('one-time code', `otp_secret: ${fake(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`, 'otp_secret: '),
  form('otpauth URL', `otpauth://totp/a:b?secret=JBSWY3DPEHPK3PXP&issuer=a`, 'JBSWY3DPEHPK3PXP'),
  form('webhook secret', `webhook_secret = "${key}"`, key),
  form('Azure SAS', `https://a.blob.core.windows.net/c?sv=2024-01-01&sr=c&sig=${fake(43)}%3D&se=2026`, '&sig='),
  form('SMTP password', 'SMTP_PASS="open sesame"', 'open sesame'),

  // HTTP.
  form('Authorization: Bearer', `Authorization: Bearer ${key}`, key),
  form('Authorization: Basic', `authorization: Basic ${basic}`, basic),
  form('Authorization: Token', `Authorization: Token ${fake(40, HEX)}`, 'Authorization: Token '),
  form('Authorization: ApiKey', `"Authorization": "ApiKey ${key}"`, key),
  form('Authorization without a scheme', `Authorization: ${long}`, long),
  form('Authorization: Digest', `Authorization: Digest username="a", response="${fake(32, HEX)}"`, 'response="'),
  form(
    'AWS4-HMAC-SHA256',
    `Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/x, SignedHeaders=host, Signature=${long}`,
    long,
  ),
  form('Proxy-Authorization', `Proxy-Authorization: Basic ${basic}`, basic),
  form('X-Api-Key', `X-Api-Key: ${key}`, key),
  form('X-Auth-Token', `x-auth-token: ${key}`, key),
  form('Cookie', `Cookie: theme=dark; sid=${key}; lang=en`, key),
  form('Set-Cookie', `Set-Cookie: session=${key}; HttpOnly; Path=/`, key),
  form('header of curl', `curl -H 'Authorization: Bearer ${key}' https://example.org`, key),
  form('header as a pair', `["X-Api-Key","${key}"]`, key),

  // URLs.
  form('PostgreSQL URL', 'postgres://app:opensesame@db.example.org:5432/app', 'opensesame'),
  form('MongoDB URL', `mongodb+srv://app:open%40sesame@cluster.example.org/?w=majority`, 'open%40sesame'),
  form('Redis URL without a user', 'redis://:opensesame@cache:6379/0', 'opensesame'),
  form('password with an @ in a URL', 'amqp://app:open@sesame@mq:5672', ['open@', 'sesame@']),
  form('password with an @ and a slash in a URL', 'postgres://app:p@ss/w0rd@db/app', ['p@ss', 's/w0rd']),
  form('password with a slash in a URL', 'mysql://app:open/sesame@db:3306/app', ['open/', 'sesame']),
  form('password with slashes of a cluster', 'mongodb+srv://app:o@pen/se/same@a.example.org/?w=1', ['pen/', 'same']),
  form('password with an @ and a slash, no user', 'redis://:op@en/sesame@cache:6379/0', ['op@', 'en/', 'sesame']),
  form('password with a question mark in a URL', 'amqps://app:op@en?sesame/1@mq:5671/v', ['op@', 'en?', 'sesame']),
  form('password with a slash for a web page', 'https://alice:p@ss/w0rd@example.org/a', ['p@ss', 's/w0rd']),
  form('password with a slash and a driver', 'postgresql+asyncpg://app:a/b@hunter22@[::1]:5432/x', ['a/b', 'hunter22']),
  form('token as user of a URL', `https://${fake(40, HEX)}@git.example.org/a.git`, 'https://'),
  form('token as password of a URL', `https://oauth2:${key}@git.example.org/a.git`, key),
  form('access_token in a query', `https://example.org/a?access_token=${key}&b=1`, key),
  form('api_key in a query', `GET /v1/x?api_key=${key} HTTP/1.1`, key),
  form('token in a fragment', `https://example.org/#access_token=${key}&token_type=bearer`, key),
  form('code of OAuth', `https://example.org/callback?client_secret=${key}`, key),
  form(
    'Telegram bot URL',
    `https://api.telegram.org/bot${fake(10, '123456789')}:AA${fake(33, BASE64URL)}/getMe`,
    '/bot',
  ),

  // Command lines.
  form('--token', `deploy --token ${key} --force`, key),
  form('--token=', `deploy --token=${key}`, key),
  form('--password', 'login --password opensesame', 'opensesame'),
  form('--api-key', `x --api-key "${key}"`, key),
  form('curl -u', `curl -u alice:opensesame https://example.org`, 'opensesame'),
  form('curl --user', `curl --user 'alice:open sesame' https://example.org`, 'open sesame'),
  form('sshpass', 'sshpass -p opensesame ssh host', 'opensesame'),
  form('mysql -p', 'mysql -uroot -popensesame app', 'opensesame'),
  form('docker login -p', 'docker login -u alice -p opensesame', 'opensesame'),
  form('redis-cli -a', 'redis-cli -h cache -a opensesame ping', 'opensesame'),
  form('netrc', 'machine example.org login alice password opensesame', 'opensesame'),
  form('openssl', 'openssl enc -aes-256-cbc -pass pass:opensesame -in a', 'opensesame'),
  form('htpasswd', `alice:$apr1$${fake(8)}$${fake(22)}`, '$apr1$'),
  form('shadow file', `root:$6$salt$${key}${key}${key}:19000:0`, key),
];

/** Texts that look like secrets and are none. */
export const HARMLESS: readonly string[] = [
  'const password = process.env.DB_PASSWORD;',
  'password: process.env["DB_PASSWORD"]',
  'api_key = os.environ["API_KEY"]',
  'api_key=os.getenv("API_KEY")',
  'const password: string = read();',
  'password: string;',
  'token?: string | undefined;',
  'function login(user: User, password: Password): Promise<Token>',
  'const token = await getToken(user);',
  'token = request.headers.get("x-token")',
  'password=$PASSWORD',
  'PASSWORD=${DB_PASSWORD:-}',
  'password: ${{ secrets.NPM_TOKEN }}',
  'password: {{ vault_password }}',
  'API_KEY=<your-api-key>',
  'API_KEY=your_api_key_here',
  'password: "********"',
  'password: [redacted]',
  'token: null',
  '"token": true, "secret": false',
  'max_tokens: 4096',
  '"total_tokens": 150000, "prompt_tokens": 1200',
  'tokens=512',
  'token_count = 12345678',
  'The token limit is 8192 tokens.',
  'a secret that nobody knows',
  'The secret: work hard.',
  'Passwords must have at least 12 characters.',
  'Password: required',
  'keyboard: qwertz',
  'monkey=banana2024',
  'key: value',
  'key=ArrowDown',
  'primaryKey: "userId"',
  'PRIMARY KEY (id)',
  'foreign_key: accounts_2024_users',
  'secretary: Alice Miller',
  'author: alice.miller2024',
  'authority=example.org:8080',
  'class="btn-primary sk-fading-circle text-muted-foreground-token"',
  '<div class="sk-chasing-dot-animation-container"></div>',
  'commit 0123456789abcdef0123456789abcdef01234567',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  `sha256:${long}`,
  `integrity sha512-${fake(86, BASE64)}==`,
  'https://example.org/a:b?c=d and git@host:repo',
  'https://localhost:PORT/@scope/package@latest',
  'https://example.org:8080/path?page=2&sort=asc',
  'ssh://git@github.example.org/a/b.git',
  'mailto:alice@example.org',
  'cookie: chocolate',
  'import { createHash } from "node:crypto"',
  'passenger=alice.miller2024',
  'The compass: north-by-northwest',
  'git log --author=alice --token-count',
  'tar -p -xf archive2024.tar',
  'mkdir -p build/output2024',
  'docker run -p 8080:80 nginx',
  'ssh -p 2222 alice@example.org',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'pk_live is the prefix of publishable keys',
  '2026-11-23T13:09:37.123Z [info] request 8f14e45fceea167a took 12 ms',
  'data-testid="password-input-field"',
  'document.cookie',
  'onPassword={handlePassword}',
  'secrets: inherit',
  'autocomplete="current-password"',
  'npm install --save-dev @types/jsonwebtoken@9.0.5',
];

function form(name: string, text: string, secret: string | readonly string[]): Form {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  return { name, text, secrets: secrets.map((part) => after(text, part)) };
}

/** A secret given by what stands before it: the characters up to the next that can't be part of it. */
function after(text: string, part: string): string {
  if (!/[:='"& /$]$/.test(part) || part.length > 24) return part;
  const rest = text.slice(text.indexOf(part) + part.length);
  return /^[\w+/=%.~:$-]+/.exec(rest)?.[0] ?? rest;
}

function pem(kind: string, body: string): string {
  return `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;
}

function PHRASE(): string {
  return 'abandon ability able about above absent absorb abstract absurd abuse access accident';
}

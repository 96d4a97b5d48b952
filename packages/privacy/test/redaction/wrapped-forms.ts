// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of shells and workflows.
import { BASE64, fake, HEX } from './fake.ts';
import type { Form } from './forms.ts';

const key = fake(32);
const pem = btoa(`-----BEGIN PRIVATE KEY-----\n${fake(180, BASE64)}\n-----END PRIVATE KEY-----\n`);
const certificate = btoa(`-----BEGIN CERTIFICATE-----\n${fake(180, BASE64)}\n-----END CERTIFICATE-----\n`);
const variables = btoa(`DB_HOST=db\nDB_PASSWORD=opensesame\n`);

/** Secrets in the markup, encodings and configuration that people and programs put around them. */
export const WRAPPED_FORMS: readonly Form[] = [
  // Markdown.
  form('bold name, value in code', '**Password:** `opensesame`', 'opensesame'),
  form('bold name, colon outside', '**Password**: opensesame', 'opensesame'),
  form('bold name and value', '**Password:** **opensesame**', 'opensesame'),
  form('emphasised name', '_Password_: opensesame', 'opensesame'),
  form('emphasised name with underscores', `__API key:__ \`${key}\``, key),
  form('name in code', '`DB_PASSWORD`: `opensesame`', 'opensesame'),
  form('name in code, equals', '`DB_PASSWORD` = `opensesame`', 'opensesame'),
  form('bold item of a list', `- **Token:** \`${key}\``, key),
  form('item of a list with a star', '* Password: `opensesame`', 'opensesame'),
  form('numbered item', `1. **Secret key** – \`${key}\``, key),
  form('row of a table', '| Password | opensesame |', 'opensesame'),
  form('row of a table with code', '| `DB_PASSWORD` | `opensesame` | the database |', 'opensesame'),
  form('heading and block of code', '### Password\n\n```\nopensesame\n```', 'opensesame'),
  form('quote', '> **passphrase:** `open sesame now`', 'open sesame now'),
  form('HTML in bold', '<b>Password:</b> opensesame', 'opensesame'),
  form('HTML in code', '<strong>Password</strong>: <code>opensesame</code>', 'opensesame'),
  form('terms of a description list', '<dt>Password</dt><dd>opensesame</dd>', 'opensesame'),
  form('cells of an HTML table', `<tr><td>API key</td><td>${key}</td></tr>`, key),

  // Values that end like the name of a secret, and other values that are words.
  form('value with the name of its variable', '- POSTGRES_PASSWORD=postgres-password', 'postgres-password'),
  form('value that ends with secret', 'DB_PASSWORD=hunter2secret', 'hunter2secret'),
  form('value that ends with key', 'JWT_SECRET=my-signing-key', 'my-signing-key'),
  form('value that ends with pass', 'MYSQL_ROOT_PASSWORD: rootpass', 'rootpass'),
  form('value that begins with a name', 'ADMIN_PASSWORD=password1234', 'password1234'),
  form('value with an ampersand', 'password=Tr0ub4dor&3', ['Tr0ub4dor', '&3']),
  form('value with an ampersand in YAML', 'password: Tr0ub4dor&3x', ['Tr0ub4dor', '&3x']),
  form('value with a semicolon in .env', 'DB_PASSWORD=Tr0ub;4dor', ['Tr0ub', '4dor']),
  form('value with a comma in .env', 'DB_PASSWORD=Tr0ub,4dor', ['Tr0ub', '4dor']),
  form('value with a hash in .env', 'DB_PASSWORD=Tr0ub#4dor', ['Tr0ub', '4dor']),
  form('value with brackets in .env', 'DB_PASSWORD=Tr0(ub)4dor', ['Tr0', '4dor']),

  // Lists and pairs of YAML and of programs.
  form('environment of Compose', 'environment:\n  - POSTGRES_PASSWORD=opensesame\n  - POSTGRES_USER=app', 'opensesame'),
  form('environment of Kubernetes', 'env:\n- name: DB_PASSWORD\n  value: opensesame\n', 'opensesame'),
  form('environment of Kubernetes in quotes', `env:\n  - name: "API_TOKEN"\n    value: "${key}"\n`, key),
  form('value before the name', 'env:\n  - value: opensesame\n    name: DB_PASSWORD\n', 'opensesame'),
  form('environment of ECS', '{"value": "opensesame", "name": "DB_PASSWORD"}', 'opensesame'),
  form('parameter with capitals', '{"Name":"DbPassword","Value":"opensesame"}', 'opensesame'),
  form('parameter of CloudFormation', '{"ParameterKey":"DbPassword","ParameterValue":"opensesame"}', 'opensesame'),
  form('key and value in YAML', `- key: api_token\n  value: ${key}`, key),
  form('secret of Kubernetes', 'kind: Secret\ndata:\n  password: b3BlbnNlc2FtZQ==\n', 'b3BlbnNlc2FtZQ'),
  form('stringData', 'stringData:\n  admin-password: opensesame\n', 'opensesame'),
  form('YAML block', 'password: |\n  opensesame\nuser: app', 'opensesame'),
  form('YAML folded block', `api_key: >-\n  ${key}\nuser: app`, key),
  form('value on the next line', 'password:\n  opensesame\n', 'opensesame'),
  form('Helm argument', 'helm install x --set postgresql.auth.password=opensesame', 'opensesame'),
  form('docker -e', 'docker run -e MYSQL_ROOT_PASSWORD=opensesame mysql', 'opensesame'),
  form('cookie in a list', `"set-cookie":["sid=${key}; Path=/"]`, key),
  form('cookies in a list', `{"set-cookie": ["theme=dark", "session=${key}; HttpOnly"]}`, key),
  form('header in a list', `{"authorization": ["Bearer ${key}"]}`, key),

  // Percent and Base64.
  form('percent-encoded query', `https://example.org/go?u=%2Fx%3Faccess_token%3D${key}%26b%3D1`, key),
  form('percent-encoded twice', `next=%252Fx%253Ftoken%253D${key}%2526a%253D1`, key),
  form('percent-encoded form', 'body=user%3Dapp%26password%3Dopensesame%26x%3D1', 'opensesame'),
  form('percent-encoded JSON', '%7B%22password%22%3A%22opensesame%22%7D', 'opensesame'),
  form('percent-encoded header', `Authorization%3A%20Bearer%20${key}`, key),
  form('percent-encoded URL', 'dsn=postgres%3A%2F%2Fapp%3Aopensesame%40db%2Fapp', 'opensesame'),
  form('TLS secret', `data:\n  tls.crt: ${certificate}\n  tls.key: ${pem}`, pem.slice(60, 200)),
  form('key in Base64 under another name', `cert_bundle: ${pem}`, pem),
  form('variables in Base64', `echo ${variables} | base64 -d > .env`, variables),
  form('JSON in Base64', `{"payload":"${btoa('{"user":"app","password":"opensesame"}')}"}`, '{"payload":"'),
  form('URL in Base64', `dsn: ${btoa('postgres://app:opensesame@db.example.org/app')}`, 'dsn: '),
  form(
    'Docker configuration in Base64',
    `.dockerconfigjson: ${btoa('{"auths":{"a":{"auth":"YXBwOm9wZW5zZXNhbWU="}}}')}`,
    'json: ',
  ),

  // Drivers and programs.
  form('wireless network', 'network={\n  ssid="home"\n  psk="open sesame"\n}', 'open sesame'),
  form('wireless network as a key', `psk=${fake(64, HEX)}`, 'psk='),
  form('pre-shared key', `PresharedKey = ${fake(43, BASE64)}=`, 'PresharedKey = '),
  form('WireGuard', `[Interface]\nPrivateKey = ${fake(43, BASE64)}=`, 'PrivateKey = '),
  form('ODBC with braces', 'Driver={ODBC Driver 18};UID=sa;PWD={open;sesame}', ['open', 'sesame']),
  form('Oracle thin', 'jdbc:oracle:thin:scott/opensesame@db.example.org:1521/orcl', 'opensesame'),
  form('Oracle thin with an @', 'jdbc:oracle:thin:scott/opensesame@//db.example.org:1521/orcl', 'opensesame'),
  form('sqlplus', 'sqlplus scott/opensesame@orcl', 'opensesame'),
  form('JDBC parameter', 'jdbc:mysql://db/app?user=app&password=opensesame&ssl=true', 'opensesame'),
  form('JDBC of SQL Server', 'jdbc:sqlserver://db;user=sa;password={open;sesame};encrypt=true', ['open', 'sesame']),
  form('libpq', 'host=db user=app password=opensesame dbname=app', 'opensesame'),
  form('libpq with quotes', "host=db password='open sesame' dbname=app", 'open sesame'),
  form('DSN of Go', 'app:opensesame@tcp(db:3306)/app?parseTime=true', 'opensesame'),
  form('isql', 'sqlcmd -S db -U sa -P opensesame', 'opensesame'),
  form('mongosh', 'mongosh -u app -p opensesame --authenticationDatabase admin', 'opensesame'),
  form('ldapsearch', 'ldapsearch -D cn=admin -w opensesame -b dc=example', 'opensesame'),
  form('smbclient', 'smbclient //srv/share -U alice%opensesame', 'opensesame'),
  form('wget', 'wget --http-password=opensesame https://example.org', 'opensesame'),
  form('htpasswd', 'htpasswd -b .htpasswd alice opensesame', 'opensesame'),
  form('7z', '7z a -popensesame x.7z src', 'opensesame'),
  form('zip', 'zip -P opensesame x.zip src', 'opensesame'),
  form('PowerShell', 'ConvertTo-SecureString "opensesame" -AsPlainText -Force', 'opensesame'),
  form('Unicode escapes', '{"password":"open\\u0073esame"}', 'open'),

  // What people write.
  form('said', 'the password is opensesame', 'opensesame'),
  form('said with a name', 'The wifi password is opensesame.', 'opensesame'),
  form('said in quotes', 'my password is "open sesame"', 'open sesame'),
  form('set to', 'I set the password to opensesame1', 'opensesame1'),
  form('said in code', 'The admin password is `opensesame`.', 'opensesame'),
  form('said of a token', `use token ${key}`, key),
  form('user and password', 'login: alice / password: opensesame', 'opensesame'),
  form('pass with a dash', 'password - opensesame1', 'opensesame1'),
];

/** Texts that look like these and hold no secret. */
export const WRAPPED_HARMLESS: readonly string[] = [
  '{"nextPageToken":"CAUQAA1b2c3d4e5f6"}',
  'pageToken=CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA',
  'continuationToken: eyJvZmZzZXQiOjEwMH0x',
  'cursor_token=b2Zmc2V0OjIwMDAwMDA',
  'syncToken: CPDAlvWDx70CEPDAlvWDx70CGAU1',
  '| Password | required |',
  '**Password:** required, at least 12 characters',
  'The password is stored as a hash.',
  'the password is never logged',
  'The token is invalid or has expired.',
  'The password is wrong. Try again.',
  'the secret is to work hard',
  'The key is under the mat.',
  'env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password',
  'env:\n- name: LOG_LEVEL\n  value: debug',
  '- name: PASSWORD_MIN_LENGTH\n  value: "12"',
  `tls.crt: ${certificate}`,
  'https://example.org/?next=%2Fpassword%2Freset%3Fstep%3D2',
  'redirect=%3Fpage%3D2%26sort%3Dasc',
  'password_file: /run/secrets/db-password',
  'POSTGRES_PASSWORD_FILE=/run/secrets/postgres-password',
  'PWD=/home/alice/project',
  'OLDPWD=/home/alice',
  'echo $PWD && cd "$OLDPWD"',
  'jdbc:oracle:thin:@db.example.org:1521/orcl',
  'jdbc:postgresql://db.example.org:5432/app',
  btoa('The quick brown fox jumps over the lazy dog.'),
  btoa('{"name":"Alice","role":"admin","active":true}'),
  'const tokens = text.split(" "); const token = tokens[0];',
  'tokenizer: cl100k_base, tokens: 4096',
  'password: str = Field(..., min_length=8)',
  'secretName: postgres-credentials',
  'secretKeyRef: { name: db, key: password }',
  'The passphrase is optional.',
  'passwordless: true',
  '"passwordPolicy": "strong"',
  'idToken?: string',
  'zip -r x.zip src && 7z l x.7z',
  'ldapsearch -x -b dc=example -s sub',
];

function form(name: string, text: string, secret: string | readonly string[]): Form {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const after = (part: string) =>
    /[: ="]$/.test(part) ? (/^[\w+/=-]+/.exec(text.slice(text.indexOf(part) + part.length))?.[0] ?? part) : part;
  return { name, text, secrets: secrets.map(after) };
}

import { longWords } from './long-words.ts';
import type { Range } from './range.ts';

/**
 * Secrets that are known by their own form. Sources: the documentation of the services, and the rules of gitleaks and
 * GitHub's secret scanning, which give prefixes and lengths.
 */
const FORMS: readonly string[] = [
  'A3T[A-Z0-9]{17}', // AWS
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])', // AWS
  'ABSK[A-Za-z0-9+/]{60,}={0,2}', // Amazon Bedrock
  'AGE-SECRET-KEY-1[A-Z0-9]{38,}', // age
  'AIza[\\w-]{35}', // Google
  'AKCp[A-Za-z0-9]{60,}', // JFrog
  'AQ\\.Ab[\\w-]{40,}', // Google
  'ATATT3[\\w=-]{60,}', // Atlassian
  'ATBB[A-Za-z0-9]{24,}', // Bitbucket
  'ATCTT3[\\w=-]{60,}', // Atlassian
  'CCIPAT_[A-Za-z0-9]{10,}_[a-f0-9]{40}', // CircleCI
  'CLOJARS_[a-z0-9]{60}', // Clojars
  'EAAA[\\w-]{60}', // Square
  'EAA[A-Za-z0-9]{80,}', // Facebook
  'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?', // Flutterwave
  'GOCSPX-[\\w-]{20,}', // Google
  'HRKU-[\\w-]{36,}', // Heroku
  'LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])', // Alibaba Cloud
  '[MNO][A-Za-z0-9_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}', // Discord
  'NRAK-[A-Z0-9]{20,}', // New Relic
  'PMAK-[a-f0-9]{20,}-[a-f0-9]{30,}', // Postman
  'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}', // SendGrid
  'SK[0-9a-f]{32}(?![0-9a-f])', // Twilio
  'aio_[A-Za-z0-9]{28}', // Adafruit IO
  'bedrock-api-key-[A-Za-z0-9+/]{60,}={0,2}', // Amazon Bedrock
  'bkua_[a-f0-9]{40}', // Buildkite
  'cf(?:k|at|ut)_[A-Za-z0-9]{40,}', // Cloudflare
  'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])', // crates.io
  'csk-[A-Za-z0-9]{32,}', // Cerebras
  'dapi[a-f0-9]{32}(?:-\\d)?', // Databricks
  'dckr_(?:pat|oat)_[\\w-]{20,}', // Docker
  'do[oprt]_v1_[a-f0-9]{64}', // DigitalOcean
  'dp\\.(?:pt|st|ct|scim|audit)\\.[\\w.-]{40,}', // Doppler
  'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}', // Dynatrace
  'dtn_[a-f0-9]{64}', // Daytona
  'e2b_[a-f0-9]{40}', // E2B
  'fc-[a-f0-9]{32}', // Firecrawl
  'figd_[\\w-]{30,}', // Figma
  '(?:fm[12]r?|fo1)_[\\w+/=-]{40,}', // Fly.io
  'fw_(?=[\\w-]{0,60}\\d)[A-Za-z0-9]{20,}', // Fireworks
  'gh[oprsu]_[A-Za-z0-9]{36,}', // GitHub
  'github_pat_\\w{22,}', // GitHub
  'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|rtr)-[\\w.-]{20,}', // GitLab
  'gl(?:sa|c)_[\\w+/=]{30,}', // Grafana
  'gsk_[A-Za-z0-9]{32,}', // Groq
  'hf_[A-Za-z0-9]{30,}', // Hugging Face
  'hv[bsr]\\.[\\w-]{24,}', // HashiCorp Vault
  'https://discord(?:app)?\\.com/api/webhooks/\\d+/[\\w-]{40,}',
  'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/]{20,}',
  'https://[\\w.-]+\\.webhook\\.office\\.com/[\\w/@-]{40,}', // Microsoft Teams
  'jina_(?=[\\w-]{0,60}\\d)[A-Za-z0-9]{32,}', // Jina
  'key-[0-9a-f]{32}', // Mailgun
  'lin_(?:api|oauth)_[A-Za-z0-9]{32,}', // Linear
  'lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}', // LangSmith
  'mlsn\\.[a-f0-9]{64}', // MailerSend
  'nfp_[A-Za-z0-9]{36,}', // Netlify
  'npm_[A-Za-z0-9]{36}', // npm
  '(?:ntn|secret)_[A-Za-z0-9]{40,}', // Notion
  'nvapi-(?=[\\w-]{0,60}\\d)[\\w-]{32,}', // NVIDIA
  'ops_eyJ[\\w+/=-]{60,}', // 1Password
  'oy2[a-z0-9]{43}(?![a-z0-9])', // NuGet
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}', // Airtable
  'pcsk_(?=[\\w-]{0,60}\\d)[A-Za-z0-9_]{32,}', // Pinecone
  'phx_[A-Za-z0-9]{40,}', // PostHog
  'pplx-[A-Za-z0-9]{40,}', // Perplexity
  'pscale_(?:pw|tkn|oauth)_[\\w.=-]{30,}', // PlanetScale
  'pul-[a-f0-9]{40}', // Pulumi
  'pypi-AgE[\\w-]{50,}', // PyPI
  'r8_[A-Za-z0-9]{37}', // Replicate
  're_(?=[\\w-]{0,60}\\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}', // Resend
  'rpa_[A-Za-z0-9]{40,}', // RunPod
  'rubygems_[a-f0-9]{48}', // RubyGems
  'sb_secret_(?=[\\w-]{0,60}\\d)[\\w-]{20,}', // Supabase
  'sbp_[a-f0-9]{40}', // Supabase
  'sess-[A-Za-z0-9]{40}', // OpenAI
  'sgp_(?:[a-f0-9]{16}_)?[a-f0-9]{40}', // Sourcegraph
  'sha256~[\\w-]{43}', // OpenShift
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}', // Shopify
  '(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}', // Stripe
  'sk-(?=[\\w-]{0,200}\\d)[A-Za-z0-9][\\w-]{18,}[A-Za-z0-9]', // OpenAI, Anthropic and others
  'sk_[a-f0-9]{40,}', // ElevenLabs
  'sl\\.[\\w-]{60,}', // Dropbox
  'sntry[su]_[\\w+/=-]{40,}', // Sentry
  'sq0[a-z]{3}-[\\w-]{20,}', // Square
  'sq[apu]_[a-f0-9]{40}', // SonarQube
  'tgp_v1_[\\w-]{32,}', // Together
  'tskey-[a-z]+-[\\w-]{20,}', // Tailscale
  'tvly-(?=[\\w-]{0,60}\\d)[A-Za-z0-9-]{24,}', // Tavily
  'vc[a-z]_[A-Za-z0-9]{50,}', // Vercel
  'vercel_blob_rw_[A-Za-z0-9_]{30,}', // Vercel
  'whsec_[\\w+/=]{20,}', // Stripe and Standard Webhooks
  'xai-[A-Za-z0-9]{60,}', // xAI
  'xapp-\\d-[A-Za-z0-9]+-\\d+-[a-f0-9]{30,}', // Slack
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}', // Brevo
  'xox[a-z]-(?=[\\w%+/=-]{0,40}\\d)[\\w%+/=-]{10,}', // Slack
  'ya29\\.[\\w-]{20,}', // Google
  '1//0[\\w-]{30,}', // Google
  '2/\\d{10,}/\\d{10,}:[0-9a-f]{32}', // Asana
  '[0-9a-f]{32}-us\\d{1,2}', // Mailchimp
  '(?:bot)?\\d{8,10}:AA[\\w-]{32,}', // Telegram
  '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}', // HashiCorp Terraform
  '[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}', // Microsoft Entra ID
  '\\$(?:apr1|2[abxy]|[156y]|argon2(?:id?|d))\\$[\\w./$=,+-]{20,}', // crypt(3)
];

/** Tokens start where a word starts, which an escaped line break (`\n`) hides. */
const START = '(?:(?<![A-Za-z0-9]|[A-Za-z0-9]_)|(?<=\\\\[nrt]))';

const TOKEN = /* @__PURE__ */ pattern();

function pattern(): RegExp {
  // V8 counts `{20,}` on its stack, which overflows in a run of eight million letters, such as an image in Base64.
  const forms = FORMS.join('|').replace(/(\[[^\]]+\]|\\\w)\{(\d+),\}/g, '$1{$2}$1*');
  return new RegExp(`${START}(?:${forms})`, 'g');
}

const WEB_TOKEN_START = `${START}eyJ[\\w-]{8}`;
/**
 * A JSON Web Token (RFC 7519), or any signed or encrypted content in the compact form of RFC 7515 and 7516, where parts may be
 * empty, after the rest of its word. Its first part may begin after any hyphen, so a pattern that begins with it would read the
 * rest of a long word at each hyphen.
 */
const WEB_TOKEN = /* @__PURE__ */ new RegExp(
  `(?<![\\w-])(?=[\\w-]*${WEB_TOKEN_START})[\\w-]*\\.(?:eyJ[\\w-]{8}[\\w-]*(?:\\.[\\w-]*)?|[\\w-]*\\.[\\w-]{16}[\\w-]*)(?:\\.[\\w-]*\\.[\\w-]{16}[\\w-]*)?`,
  'g',
);
const FIRST_WEB_TOKEN_START = /* @__PURE__ */ new RegExp(WEB_TOKEN_START, 'g');

/** Secrets that are known by their own form, wherever they stand. */
export function findTokens(text: string): Range[] {
  const ranges: Range[] = [];
  for (const [start, end] of longWords(text)) {
    // With what comes before it, which may be the backslash of an escape.
    const from = Math.max(0, start - 2);
    const word = text.slice(from, end);
    for (const [first, last] of [...formsIn(word), ...webTokensIn(word)]) ranges.push([from + first, from + last]);
  }
  return ranges;
}

function formsIn(word: string): Range[] {
  const ranges: Range[] = [];
  // Without `matchAll`, which copies the pattern: ten times the time of looking for it in one word.
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(word); token !== null; token = TOKEN.exec(word)) {
    ranges.push([token.index, TOKEN.lastIndex]);
  }
  return ranges;
}

function webTokensIn(word: string): Range[] {
  if (!word.includes('eyJ')) return [];
  return [...word.matchAll(WEB_TOKEN)].map(({ 0: token, index }) => {
    FIRST_WEB_TOKEN_START.lastIndex = index;
    return [FIRST_WEB_TOKEN_START.exec(word)?.index ?? index, index + token.length];
  });
}

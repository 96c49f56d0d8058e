/** The options, from the command line, the environment and a file. */
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { UsageError, readAuthority, readCertificate, readFile } from './option-files.js';

export { UsageError };

const OPTIONS = /** @type {const} */ ({
  data: { type: 'string' },
  etcd: { type: 'string' },
  memory: { type: 'boolean', default: false },
  port: { type: 'string', default: '8470' },
  host: { type: 'string', default: '127.0.0.1' },
  keep: { type: 'string' },
  'checkpoint-every': { type: 'string' },
  'etcd-prefix': { type: 'string' },
  'etcd-quota': { type: 'string' },
  'etcd-keep-history': { type: 'boolean', default: false },
  'etcd-ca': { type: 'string' },
  'etcd-cert': { type: 'string' },
  'etcd-key': { type: 'string' },
  'etcd-user': { type: 'string' },
  'etcd-password-file': { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'max-open': { type: 'string' },
  'max-open-of-owner': { type: 'string' },
  backup: { type: 'string' },
  'new-incarnation': { type: 'boolean', default: false },
  config: { type: 'string' },
  'base-url': { type: 'string' },
  'trust-proxy': { type: 'boolean', default: false },
  'allow-origin': { type: 'string', multiple: true },
  'log-level': { type: 'string', default: 'info' },
  'allow-anonymous': { type: 'boolean', default: false },
  'auth-jwks': { type: 'string' },
  'auth-key': { type: 'string' },
  'auth-issuer': { type: 'string' },
  'auth-audience': { type: 'string' },
  'auth-any-audience': { type: 'boolean', default: false },
  'auth-owner': { type: 'string' },
  'auth-revoke': { type: 'string' },
  'auth-resources': { type: 'string' },
  'auth-header': { type: 'string' },
  'auth-proxy': { type: 'string' },
  'auth-groups': { type: 'string' },
  'auth-revoke-group': { type: 'string' },
});

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const ENVIRONMENT = 'LOCKKEEPER_CLAIMS_';
/** The options without their defaults. @type {Record<string, {type: 'string' | 'boolean', multiple?: boolean}>} */
const NAMES = Object.fromEntries(Object.entries(OPTIONS).map(([name, { type, ...more }]) => (
  [name, { type, multiple: 'multiple' in more }])));
/** Options that need another one. */
const PAIRS = /** @type {const} */ ([['tls-cert', 'tls-key'], ['etcd-cert', 'etcd-key'], ['etcd-user', 'etcd-password-file']]);

const HELP = '--help lists the options.';

/**
 * @param {string[]} words
 * @param {Record<string, string | undefined>} [environment]
 */
export function readOptions(words, environment = {}) {
  const values = parse(words, environment);
  /** @param {(keyof typeof values)[]} names */
  const given = (...names) => {
    const found = names.filter((name) => values[name] !== undefined && values[name] !== false);
    if (found.length > 1) throw new UsageError(`only one of --${found.join(' and --')} is possible`);
    return found.length > 0;
  };
  const kept = given('data', 'etcd', 'memory');
  if (!kept) throw new UsageError(`--data, --etcd or --memory is missing: where are claims to be kept? ${HELP}`);
  if (!LEVELS.includes(values['log-level'])) throw new UsageError(`--log-level must be one of ${LEVELS.join(', ')}`);
  const { etcd, 'auth-jwks': jwksUrl, 'auth-key': keyFile, 'auth-header': header } = values;
  if (!given('auth-jwks', 'auth-key', 'auth-header', 'allow-anonymous') && !isLoopback(values.host)) {
    throw new UsageError(`${values.host} can be reached from elsewhere, and clients would not be authenticated. Give --auth-jwks, `
      + '--auth-key or --auth-header; or --allow-anonymous, if all of them may change every claim.');
  }
  for (const [one, other] of PAIRS) {
    if ((values[one] === undefined) !== (values[other] === undefined)) throw new UsageError(`--${one} and --${other} belong together`);
  }
  const isToken = jwksUrl !== undefined || keyFile !== undefined;
  const { 'auth-issuer': issuer, 'auth-audience': audience, 'auth-any-audience': anyAudience } = values;
  if (!isToken && (issuer ?? audience) !== undefined) {
    throw new UsageError('--auth-issuer and --auth-audience need the issuer\'s keys: --auth-jwks or --auth-key');
  }
  if ((jwksUrl ?? issuer) !== undefined && audience === undefined && !anyAudience) {
    throw new UsageError('--auth-audience is missing: the issuer also makes tokens for other services, and they would do here. Give it, or '
      + 'say --auth-any-audience.');
  }
  if (values.backup !== undefined && values.data === undefined) {
    throw new UsageError('--backup goes with --data; etcd has its own copies (etcdctl snapshot save)');
  }
  return {
    backup: values.backup,
    newIncarnation: values['new-incarnation'],
    limits: {
      ...(values['max-open'] === undefined ? {} : { claims: whole('max-open', values['max-open']) }),
      ...(values['max-open-of-owner'] === undefined ? {} : { ownerClaims: whole('max-open-of-owner', values['max-open-of-owner']) }),
    },
    tls: values['tls-cert'] === undefined ? undefined : readCertificate('tls-cert', 'tls-key', values),
    etcdSecurity: {
      ca: readAuthority('etcd-ca', values['etcd-ca']),
      ...readCertificate('etcd-cert', 'etcd-key', values),
      user: values['etcd-user'],
      password: readFile('etcd-password-file', values['etcd-password-file'])?.toString().trimEnd(),
    },
    data: values.data,
    etcd: etcd?.split(',').map((member) => readUrl('etcd', member)),
    etcdPrefix: values['etcd-prefix'],
    etcdCompact: !values['etcd-keep-history'],
    etcdQuota: values['etcd-quota'] === undefined ? undefined : whole('etcd-quota', values['etcd-quota']),
    port: whole('port', values.port),
    host: values.host,
    keep: values.keep === undefined ? (etcd === undefined ? undefined : 10_000) : whole('keep', values.keep),
    checkpointEvery: values['checkpoint-every'] === undefined ? undefined : whole('checkpoint-every', values['checkpoint-every']),
    baseUrl: values['base-url'] === undefined ? undefined : readUrl('base-url', values['base-url']),
    trustProxy: values['trust-proxy'],
    allowOrigins: values['allow-origin'] ?? [],
    logLevel: values['log-level'],
    token: !isToken ? undefined : {
      jwksUrl: jwksUrl === undefined ? undefined : readUrl('auth-jwks', jwksUrl),
      key: readFile('auth-key', keyFile)?.toString(),
      issuer,
      audience,
      ownerClaim: values['auth-owner'],
      revokeScope: values['auth-revoke'],
      resourceScope: values['auth-resources'],
    },
    header: header === undefined ? undefined : {
      header,
      proxies: (values['auth-proxy'] ?? '127.0.0.1,::1').split(',').map(readAddress),
      groupsHeader: values['auth-groups'],
      revokeGroup: values['auth-revoke-group'],
      resourceScope: values['auth-resources'],
    },
  };
}

/**
 * The command line overrides the environment, which overrides the file.
 * @param {string[]} words
 * @param {Record<string, string | undefined>} environment
 */
function parse(words, environment) {
  const given = parseWords(words, NAMES);
  /** @type {string[]} */
  const more = [];
  const take = (/** @type {string} */ from, /** @type {string} */ name, /** @type {unknown} */ value) => {
    if (!Object.hasOwn(OPTIONS, name)) throw new UsageError(`${from} has an option that there is not: ${name}. ${HELP}`);
    if (Object.hasOwn(given, name) || more.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))) return;
    const { type, multiple } = /** @type {{type: string, multiple?: boolean}} */ (OPTIONS[/** @type {keyof typeof OPTIONS} */ (name)]);
    if (type === 'boolean') {
      if (!['true', 'false', ''].includes(String(value))) throw new UsageError(`${from}: ${name} must be true or false`);
      if (String(value) === 'true') more.push(`--${name}`);
      return;
    }
    const values = multiple && Array.isArray(value) ? value : [Array.isArray(value) ? value.join(',') : value];
    for (const each of values) {
      if (typeof each !== 'string' && typeof each !== 'number') throw new UsageError(`${from}: ${name} must be a text or a number`);
      more.push(`--${name}=${each}`);
    }
  };
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith(ENVIRONMENT)) continue;
    const name = variable.slice(ENVIRONMENT.length).toLowerCase().replaceAll('_', '-');
    if (!isServiceLink(name, value)) take(`the environment's ${variable}`, name, value);
  }
  const file = /** @type {string | undefined} */ (given.config) ?? environment[`${ENVIRONMENT}CONFIG`];
  if (file !== undefined) for (const [name, value] of Object.entries(readConfig(file))) take(file, name, value);
  const values = parseWords([...words, ...more], OPTIONS);
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty) throw new UsageError(`--${empty[0]} needs a value, and the one given is empty. ${HELP}`);
  return values;
}

/**
 * Kubernetes tells every container where the services of its namespace are. For one called lockkeeper-claims the names begin
 * like options: LOCKKEEPER_CLAIMS_SERVICE_HOST, LOCKKEEPER_CLAIMS_PORT=tcp://10.0.0.1:8470, …
 * @param {string} name
 * @param {string} value
 */
function isServiceLink(name, value) {
  return /^(service-(host|port)|port-\d+-(tcp|udp|sctp))(-|$)/.test(name) || (name === 'port' && /^(tcp|udp|sctp):/.test(value));
}

/**
 * @param {string} file
 * @returns {Record<string, unknown>}
 */
function readConfig(file) {
  const text = String(readFile('config', file));
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${/** @type {Error} */ (error).message}`);
  }
  throw new UsageError(`${file} must be a JSON object of options`);
}

/**
 * @template {import('node:util').ParseArgsConfig['options']} Options
 * @param {string[]} words
 * @param {Options} options
 */
function parseWords(words, options) {
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    throw new UsageError(`${whatIsWrong(words, options) ?? /** @type {Error} */ (error).message} ${HELP}`);
  }
}

/**
 * Explains in a sentence what parseArgs refuses.
 * @param {string[]} words
 * @param {import('node:util').ParseArgsConfig['options']} options
 */
function whatIsWrong(words, options = {}) {
  for (const token of parseArgs({ args: words, options, strict: false, tokens: true }).tokens) {
    if (token.kind === 'positional') return `${JSON.stringify(token.value)} belongs to no option.`;
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) return `There is no option ${rawName}.`;
    if (options[name].type === 'boolean' && value !== undefined) return `${rawName} takes no value.`;
    if (options[name].type === 'boolean') continue;
    if (value === undefined) return `${rawName} needs a value.`;
    if (value.startsWith('-') && !inlineValue) return `${rawName} needs a value, and ${value} comes after it.`;
  }
  return undefined;
}

/**
 * @param {string} name
 * @param {string} text
 */
function whole(name, text) {
  const most = name === 'port' ? 65_535 : name === 'etcd-quota' ? 2 ** 50 : 1e9;
  if (!/^\d{1,16}$/.test(text) || Number(text) > most) {
    throw new UsageError(`--${name} must be a whole number from 0 to ${most}, and ${JSON.stringify(text)} is none`);
  }
  return Number(text);
}

/**
 * @param {string} name
 * @param {string} text
 */
function readUrl(name, text) {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new UsageError(`--${name} must be a URL, and ${JSON.stringify(text)} is none`);
  return text.replace(/\/+$/, '');
}

/** @param {string} text */
function readAddress(text) {
  if (!isIP(text)) throw new UsageError(`--auth-proxy must have IP addresses, and ${JSON.stringify(text)} is none`);
  return text;
}

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

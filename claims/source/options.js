/** The command line. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { PREFIX } from './log-etcd.js';

export const USAGE = `Usage: npm run claims -- --port P --data DIR
       npm run claims -- --port P --etcd URL,URL,URL

Where claims are kept (one of them):
  --data DIR              in this folder, for one server
  --etcd URL,URL,URL      in etcd, for several servers; its members' URLs
  --memory                nowhere, for tests

  --port P                listen there; 0 takes a free port (default 8470)
  --host ADDRESS          default 127.0.0.1
  --checkpoint-every N    operations between two checkpoints (default 2000)
  --keep N                remember the last N final claims (default: all; with --etcd 10000)
  --etcd-prefix PREFIX    the keys' beginning (default ${PREFIX})
  --etcd-keep-history     do not have etcd forget old revisions
  --base-url URL          what clients call this service (default: what they say in Host)
  --trust-proxy           believe X-Forwarded-Host and X-Forwarded-Proto
  --allow-origin ORIGIN   pages of this origin may use the service; * for all; may be repeated
  --log-level LEVEL       trace, debug, info, warn, error, fatal, silent (default info)
  --help

Who asks (by default nobody is asked, which other addresses than this machine's own are refused):
  --allow-anonymous       do not ask, wherever this server listens
  --auth-jwks URL         OAuth 2 bearer tokens: JWTs, by the issuer's published keys
  --auth-key FILE         or by this key: PEM, JWK or a JWK set
  --auth-issuer TEXT      what the token must say
  --auth-audience TEXT    likewise
  --auth-owner NAME       the token's claim that names the owner (default sub)
  --auth-revoke SCOPE     the scope or role that may revoke others' claims (default claims:revoke)
  --auth-header NAME      a proxy in front says it in this header (Shibboleth and the like)
  --auth-proxy ADDRESSES  the proxy's addresses (default 127.0.0.1,::1); requests from elsewhere are refused
  --auth-groups NAME      the header that has the owner's groups
  --auth-revoke-group G   the group that may revoke others' claims
`;

const OPTIONS = /** @type {const} */ ({
  data: { type: 'string' },
  etcd: { type: 'string' },
  memory: { type: 'boolean', default: false },
  port: { type: 'string', default: '8470' },
  host: { type: 'string', default: '127.0.0.1' },
  keep: { type: 'string' },
  'checkpoint-every': { type: 'string' },
  'etcd-prefix': { type: 'string' },
  'etcd-keep-history': { type: 'boolean', default: false },
  'base-url': { type: 'string' },
  'trust-proxy': { type: 'boolean', default: false },
  'allow-origin': { type: 'string', multiple: true },
  'log-level': { type: 'string', default: 'info' },
  help: { type: 'boolean', default: false },
  'allow-anonymous': { type: 'boolean', default: false },
  'auth-jwks': { type: 'string' },
  'auth-key': { type: 'string' },
  'auth-issuer': { type: 'string' },
  'auth-audience': { type: 'string' },
  'auth-owner': { type: 'string' },
  'auth-revoke': { type: 'string' },
  'auth-header': { type: 'string' },
  'auth-proxy': { type: 'string' },
  'auth-groups': { type: 'string' },
  'auth-revoke-group': { type: 'string' },
});

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export class UsageError extends Error {}

/** @param {string[]} words */
export function readOptions(words) {
  const values = parse(words);
  /** @param {(keyof typeof values)[]} names */
  const given = (...names) => {
    const found = names.filter((name) => values[name] !== undefined && values[name] !== false);
    if (found.length > 1) throw new UsageError(`only one of --${found.join(' and --')} is possible`);
    return found.length > 0;
  };
  const kept = given('data', 'etcd', 'memory');
  if (!kept && !values.help) throw new UsageError(`--data, --etcd or --memory is missing\n\n${USAGE}`);
  if (!LEVELS.includes(values['log-level'])) throw new UsageError(`--log-level must be one of ${LEVELS.join(', ')}`);
  const { etcd, 'auth-jwks': jwksUrl, 'auth-key': keyFile, 'auth-header': header } = values;
  if (!given('auth-jwks', 'auth-key', 'auth-header', 'allow-anonymous') && !isLoopback(values.host)) {
    throw new UsageError(`${values.host} can be reached from elsewhere, and nobody would be asked who he is. Give --auth-jwks, `
      + '--auth-key or --auth-header; or --allow-anonymous, if everybody there may change every claim.');
  }
  return {
    help: values.help,
    data: values.data,
    etcd: etcd?.split(',').map((member) => readUrl('etcd', member)),
    etcdPrefix: values['etcd-prefix'],
    etcdCompact: !values['etcd-keep-history'],
    port: whole('port', values.port),
    host: values.host,
    keep: values.keep === undefined ? (etcd === undefined ? undefined : 10_000) : whole('keep', values.keep),
    checkpointEvery: values['checkpoint-every'] === undefined ? undefined : whole('checkpoint-every', values['checkpoint-every']),
    baseUrl: values['base-url'] === undefined ? undefined : readUrl('base-url', values['base-url']),
    trustProxy: values['trust-proxy'],
    allowOrigins: values['allow-origin'] ?? [],
    logLevel: values['log-level'],
    token: jwksUrl === undefined && keyFile === undefined ? undefined : {
      jwksUrl: jwksUrl === undefined ? undefined : readUrl('auth-jwks', jwksUrl),
      key: keyFile === undefined ? undefined : readKeyFile(keyFile),
      issuer: values['auth-issuer'],
      audience: values['auth-audience'],
      ownerClaim: values['auth-owner'],
      revokeScope: values['auth-revoke'],
    },
    header: header === undefined ? undefined : {
      header,
      proxies: (values['auth-proxy'] ?? '127.0.0.1,::1').split(',').map(readAddress),
      groupsHeader: values['auth-groups'],
      revokeGroup: values['auth-revoke-group'],
    },
  };
}

/** @param {string[]} words */
function parse(words) {
  try {
    return parseArgs({ args: words, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
function whole(name, text) {
  const most = name === 'port' ? 65_535 : 1e9;
  if (!/^\d{1,10}$/.test(text) || Number(text) > most) throw new UsageError(`--${name} cannot be ${JSON.stringify(text)}`);
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

/** @param {string} file */
function readKeyFile(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--auth-key cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

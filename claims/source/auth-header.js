/** Authentication by a proxy in front (Shibboleth, an OpenID Connect proxy, …), which names the user in a header. */
import { BlockList, isIPv6 } from 'node:net';
import { authentication, resourcesOf, unauthorized } from './auth.js';

/**
 * @typedef {object} HeaderOptions
 * @property {string} header has the owner's name; the proxy must set it or remove it in every request
 * @property {string[]} proxies their addresses; requests from elsewhere are refused, whatever their headers
 * @property {string} [groupsHeader] has the owner's groups, separated by commas or semicolons
 * @property {string} [revokeGroup] may revoke others' claims
 * @property {string} [resourceScope] a group with this prefix allows the resources that begin with the rest of its name
 */

/** @param {HeaderOptions} options */
export function headerAuthentication({ header, proxies, groupsHeader, revokeGroup, resourceScope }) {
  const trusted = new BlockList();
  for (const address of proxies) trusted.addAddress(address, family(address));

  return authentication(async ({ headers, socket }) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    if (address === '' || !trusted.check(address, family(address))) {
      throw unauthorized('Proxy', 'Requests must come by way of the proxy that authenticates users.');
    }
    const owner = text(headers[header.toLowerCase()]);
    if (owner === '') throw unauthorized('Proxy', `The proxy did not name the user in ${header}.`);
    const groups = groupsHeader === undefined ? [] : text(headers[groupsHeader.toLowerCase()]).split(/[,;]/).map((group) => group.trim());
    const mayRevoke = revokeGroup !== undefined && groups.includes(revokeGroup);
    return { owner, by: owner, mayRevoke, resources: resourcesOf(groups, resourceScope) };
  });
}

/** @param {string} address */
const family = (address) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Proxies send UTF-8; Node reads headers byte by byte.
 * @param {string | string[] | undefined} value
 */
const text = (value) => Buffer.from(String(value ?? ''), 'latin1').toString('utf8').trim();

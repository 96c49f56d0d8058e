/** OAuth 2 bearer tokens that are JWTs. */
import { createPublicKey, createSecretKey } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { authentication, resourcesOf, unauthorized } from './auth.js';
import { HttpError } from './errors.js';

const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const SECRETS = ['HS256', 'HS384', 'HS512'];

/** Errors of the token itself, not of the keys that check it. */
const TOKEN_ERRORS = [
  errors.JWTExpired, errors.JWTClaimValidationFailed, errors.JWTInvalid, errors.JWSInvalid, errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed, errors.JOSENotSupported, errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys,
];

/**
 * @typedef {object} TokenOptions
 * @property {string} [jwksUrl] where the issuer publishes its keys
 * @property {string} [key] or the key itself: PEM, JWK or a JWK set
 * @property {string} [issuer] that the token must name
 * @property {string} [audience] likewise
 * @property {string} [ownerClaim] the token's member with the owner's name
 * @property {string} [revokeScope] the scope (or role) that may revoke others' claims
 * @property {string} [resourceScope] a scope with this prefix allows the resources that begin with the rest of its name
 */

/** @param {TokenOptions} options */
export function tokenAuthentication({ jwksUrl, key, issuer, audience, ownerClaim = 'sub', revokeScope = 'claims:revoke', resourceScope }) {
  const { verifier, algorithms } = jwksUrl === undefined
    ? readKey(key ?? '')
    : { verifier: createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5000 }), algorithms: SIGNATURES };
  const checks = { issuer, audience, algorithms, clockTolerance: 30, requiredClaims: ['exp', ownerClaim] };

  return authentication(async (request) => {
    const [, token] = /^Bearer +([\w~+/.-]+=*)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!token) throw unauthorized('Bearer', 'A bearer token is needed.');
    const { payload } = await jwtVerify(token, /** @type {any} */ (verifier), checks).catch((error) => {
      if (TOKEN_ERRORS.some((type) => error instanceof type)) {
        throw unauthorized('Bearer error="invalid_token"', `The bearer token will not do: ${error.message}.`);
      }
      request.log.error(error, 'tokens cannot be verified');
      throw new HttpError(503, { error: 'Tokens cannot be verified at present.' }, { 'Retry-After': '5' });
    });
    const owner = payload[ownerClaim];
    if (typeof owner !== 'string' || owner === '') {
      throw unauthorized('Bearer error="invalid_token"', `The token's ${ownerClaim} is not a name.`);
    }
    const scopes = granted(payload);
    return { owner, by: owner, mayRevoke: scopes.includes(revokeScope), resources: resourcesOf(scopes, resourceScope) };
  });
}

/**
 * The token's scopes and roles, in all the forms that issuers use.
 * @param {import('jose').JWTPayload} payload
 */
function granted(payload) {
  const values = [payload.scope, payload.scp, payload.roles].flatMap((value) => (typeof value === 'string' ? value.split(' ') : value));
  return values.filter((value) => typeof value === 'string');
}

/** @param {string} text */
function readKey(text) {
  if (!text.trimStart().startsWith('{')) return { verifier: createPublicKey(text), algorithms: SIGNATURES };
  const value = JSON.parse(text);
  if (value.keys) return { verifier: createLocalJWKSet(value), algorithms: SIGNATURES };
  if (value.kty === 'oct') return { verifier: createSecretKey(Buffer.from(value.k, 'base64url')), algorithms: SECRETS };
  return { verifier: createPublicKey({ key: value, format: 'jwk' }), algorithms: SIGNATURES };
}

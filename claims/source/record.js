/**
 * A claim as bytes. A fixed head has the values that lists filter by. So a million claims are read at start without parsing their text:
 *
 *   u8 format, u8 status, u16 resources, f64 created, f64 waiting duration, f64 active duration, u32 hash of each resource, JSON text
 *
 * Little-endian. A duration that is not known yet is NaN.
 */
import { STATUSES, activeDuration, isFinal, waitingDuration } from './claim.js';

/** @typedef {import('./claim.js').Claim} Claim */

const FORMAT = 1;
const HEAD = 28;

/**
 * FNV-1a over code units. If hashes agree, a list compares the claim itself.
 * @param {string} text
 */
export function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash >>> 0;
}

/**
 * @param {Claim} claim
 * @returns {Buffer}
 */
export function pack(claim) {
  const text = JSON.stringify(claim);
  const resources = claim.resources.length;
  const start = HEAD + 4 * resources;
  const bytes = Buffer.allocUnsafe(start + Buffer.byteLength(text));
  const final = isFinal(claim.status);
  bytes[0] = FORMAT;
  bytes[1] = STATUSES.indexOf(claim.status);
  bytes.writeUInt16LE(resources, 2);
  bytes.writeDoubleLE(claim.history[0].at, 4);
  bytes.writeDoubleLE(final ? waitingDuration(claim, 0) : NaN, 12);
  bytes.writeDoubleLE(final ? activeDuration(claim, 0) ?? NaN : NaN, 20);
  claim.resources.forEach((resource, place) => bytes.writeUInt32LE(hashOf(resource), HEAD + 4 * place));
  bytes.write(text, start);
  return bytes;
}

/**
 * @param {Buffer} bytes
 * @returns {Claim}
 */
export function unpack(bytes) {
  checkFormat(bytes);
  const claim = JSON.parse(bytes.toString('utf8', HEAD + 4 * bytes.readUInt16LE(2)));
  // JSON has no NaN: it was written as null.
  return { ...claim, activeFrom: claim.activeFrom ?? NaN, leaseFrom: claim.leaseFrom ?? NaN, endedAt: claim.endedAt ?? NaN };
}

/**
 * @param {Buffer} bytes
 */
export function unpackHead(bytes) {
  checkFormat(bytes);
  const resources = bytes.readUInt16LE(2);
  const hashes = [];
  for (let place = 0; place < resources; place += 1) hashes.push(bytes.readUInt32LE(HEAD + 4 * place));
  return {
    status: STATUSES[bytes[1]],
    created: bytes.readDoubleLE(4),
    waiting: bytes.readDoubleLE(12),
    active: bytes.readDoubleLE(20),
    hashes,
  };
}

/** @param {Buffer} bytes */
function checkFormat(bytes) {
  if (bytes[0] !== FORMAT || bytes.length < HEAD) throw new Error('a stored claim is damaged');
}

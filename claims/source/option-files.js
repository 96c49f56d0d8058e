/** The files that options name. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** An option is wrong. The message is for the person who starts the service. */
export class UsageError extends Error {}

/**
 * @param {string} name of the option
 * @param {string | undefined} file
 */
export function readFile(name, file) {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`--${name} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {string} certName
 * @param {string} keyName
 * @param {Record<string, any>} values
 */
export function readCertificate(certName, keyName, values) {
  const [cert, key] = [readFile(certName, values[certName]), readFile(keyName, values[keyName])];
  if (cert) check(`--${certName} and --${keyName} are no certificate and its key`, () => createSecureContext({ cert, key }));
  return { cert, key };
}

/**
 * @param {string} name
 * @param {string | undefined} file
 */
export function readAuthority(name, file) {
  const certificate = readFile(name, file);
  if (certificate) check(`--${name} is no certificate`, () => new X509Certificate(certificate));
  return certificate;
}

/**
 * @param {string} what is wrong if [read] throws
 * @param {() => unknown} read
 */
function check(what, read) {
  try {
    read();
  } catch (error) {
    throw new UsageError(`${what} that can be used: ${/** @type {Error} */ (error).message}`);
  }
}

/** Errors as HTTP answers. */
export class HttpError extends Error {
  /**
   * @param {number} statusCode
   * @param {Record<string, unknown>} body
   * @param {Record<string, string>} [headers]
   */
  constructor(statusCode, body, headers = {}) {
    super(JSON.stringify(body));
    this.name = 'HttpError';
    this.statusCode = statusCode;
    this.body = body;
    this.headers = headers;
  }
}

/** @param {Record<string, string>} parameters what is wrong with each */
export const badParameters = (parameters) => new HttpError(400, parameters);

// The JavaScript client tells these two from a gateway's errors by how they begin: see glue/claims/answers.js.
/** @param {string} id as it was in the URL */
export const noSuchSession = (id) => new HttpError(404, { error: `There is no session ${id}, or not any more.` });

/** @param {string} id as it was in the URL */
export const noSuchClaim = (id) => new HttpError(404, { error: `There is no claim ${id}.` });

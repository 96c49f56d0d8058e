/** The status page, and the metrics. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { startService } from './support/service.js';

describe('claims: for people and monitors', function () {
  this.timeout(60_000);
  let running;
  let client;
  before(async () => {
    running = await startService();
    ({ client } = running);
  });
  after(() => running.stop());

  it('the page shows each resource with its owner and its queue, in order, and nothing as markup', async () => {
    assert.match((await client.get('/')).text, /Nothing is claimed/);
    await client.claim('<img src=x onerror=alert(1)>&"\'', 60);
    for (let turn = 0; turn < 30; turn += 1) await client.claim('busy', 60);
    await client.claim('many', 60, { mode: 'shared' });
    await client.claim('many', 60, { mode: 'shared' });
    const { text, headers } = await client.get('/');
    assert.match(headers.get('content-security-policy'), /default-src 'none'/);
    assert.match(text, /4 active, 29 waiting, 0 over; 3 resources in use/);
    assert.ok(text.includes('<td>&#60;img src=x onerror=alert(1)&#62;&#38;&#34;&#39;<td>'));
    assert.ok(!text.includes('<img'));
    assert.match(text, /<td>busy<td><a class="active" href="\/v1\/claims\/2\/">2<\/a> <small>for \d\.\d s, \d+\.\d s left<\/small><td>/);
    assert.match(text, /and 9 more/);
    assert.ok(text.indexOf('/v1/claims/3/') < text.indexOf('/v1/claims/4/'));
    assert.match(text, /<td>many<td>(<a [^>]*>\d+<\/a> shared <small>[^<]*<\/small>(<br>)?){2}<td>/);
  });

  it('a claim without a ttl lasts as long as its session', async () => {
    const { body: { url } } = await client.ask('POST', '/v1/sessions/', { ttl: 60 });
    const path = await client.claim('in a session', null, { session: url });
    const { text } = await client.get('/');
    assert.match(text, /<td>in a session<td><a [^>]*>\d+<\/a> <small>for \d\.\d s, with session 1<\/small><td>/);
    await client.patch(path, { status: 'released' });
  });

  it('the page does not grow without bound', async () => {
    for (let turn = 0; turn < 250; turn += 1) await client.claim(`resource ${turn}`, 60);
    const { text } = await client.get('/');
    assert.equal(text.match(/<tr><td>/g).length, 200);
    assert.match(text, /And 53 more resources/);
  });

  it('metrics tell claims, requests and the log', async () => {
    const { text } = await client.get('/metrics');
    assert.match(text, /^claims_http_request_duration_seconds_count\{method="POST",route="\/v1\/claims\/",status="201"\} \d+$/m);
    assert.match(text, /^claims\{status="waiting"\} 29$/m);
    assert.match(text, /^claims_log_place \d+$/m);
    assert.match(text, /^process_resident_memory_bytes \d+$/m);
  });
});

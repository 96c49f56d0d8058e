/** The alert rules and the dashboard use only metrics that the service has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { createMemoryLog } from '../../claims/source/log-memory.js';
import { startService } from './support/service.js';

const read = (name) => readFileSync(new URL(`../../claims/deploy/${name}`, import.meta.url), 'utf8');

describe('claims: what is watched', () => {
  it('every metric of alerts.yml and dashboard.json is among those of /metrics', async () => {
    const space = { used: 1, file: 2, quota: 3 };
    const running = await startService({ log: { ...createMemoryLog(), space: () => space } });
    await running.client.claim('a');
    const { text } = await running.client.get('/metrics');
    const known = new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) => (
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name])));
    await running.stop();
    const { panels } = JSON.parse(read('dashboard.json'));
    const asked = [
      ...[...read('alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, text]) => text),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    assert.ok(asked.length > 15);
    for (const expression of asked) {
      const names = expression.match(/\b(?:claims|process)(?:_\w+)?\b(?=[{[\s)]|$)/g);
      assert.ok(names?.length > 0, expression);
      for (const name of names) assert.ok(known.has(name), `${name} of ${expression}`);
    }
  });
});

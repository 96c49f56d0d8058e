/** A generator of clients accepts the OpenAPI document, and its types fit what the service answers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { document } from '../../claims/source/openapi.js';

const USES = `
import type { components, operations, paths } from './claims.js';
type Claim = components['schemas']['Claim'];
type Session = components['schemas']['Session'];
export const body: paths['/v1/claims/']['post']['requestBody']['content']['application/json'] = { resource: ['a', 'b'], ttl: 5 };
export const made = (claim: paths['/v1/claims/']['post']['responses'][201]['content']['application/json']): Claim => claim;
export const fence = ({ fence: value }: Claim): number | null => value;
export const list: NonNullable<paths['/v1/claims/']['get']['parameters']['query']> = { status: 'active', minimum_ttl: 5 };
export const renew: paths['/v1/sessions/{id}/']['patch']['requestBody']['content']['application/json'] = { ttl: 30 };
export const active = ({ active: urls }: Session): string[] => urls;
export const operationNames: (keyof operations)[] = ['createClaim', 'listClaims', 'getClaim', 'updateClaim', 'createSession', 'events'];
// @ts-expect-error there is no such status
export const wrong: Claim['status'] = 'lost';
`;

describe('claims: a generator of clients', function () {
  this.timeout(60_000);

  it('makes types of the document that compile and say what is there', async () => {
    const text = astToString(await openapiTypeScript(JSON.parse(JSON.stringify(document))));
    const folder = await mkdtemp(join(tmpdir(), 'claims-openapi-'));
    try {
      await writeFile(join(folder, 'claims.ts'), text);
      await writeFile(join(folder, 'uses.ts'), USES);
      const program = ts.createProgram([join(folder, 'uses.ts')], {
        strict: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
      });
      const found = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
      assert.deepEqual(found, []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

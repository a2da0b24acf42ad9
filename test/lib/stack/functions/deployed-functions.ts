import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../../../contract/endpoint-table';
import { entryOf, functions } from './function-row';
import { realtimeFunctions } from './realtime-functions';
import { shareExpiryFunctions } from './share-expiry-functions';
import { websocketFunctions } from './websocket-functions';

const lambdas = join(__dirname, '../../../../lambdas');
const ofEndpoints = new Set<string>(Object.values(endpointTable).map(({ handler }) => handler));

test('channels, telemetry and share expiry have exactly these functions', () => {
  const paths = Object.keys(functions).filter((path) => /^(Realtime|ShareExpiry)\//.test(path));
  expect(paths.sort()).toEqual(
    Object.keys({ ...websocketFunctions, ...realtimeFunctions, ...shareExpiryFunctions })
      .map((path) => `${path}/Function`)
      .sort(),
  );
});

test('the files below lambdas/ that export a handler are each deployed once', () => {
  const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const handlers = files
    .filter((file) => /^export (const|(async )?function) handler\b/m.test(readFileSync(join(lambdas, file), 'utf8')))
    .map((file) => file.replace(/\.lambda\.ts$/, ''))
    .filter((entry) => !ofEndpoints.has(entry));
  const deployed = Object.values(functions)
    .map((lambda) => entryOf(lambda))
    .filter((entry) => !ofEndpoints.has(entry));
  expect(deployed.sort()).toEqual(handlers.sort());
});

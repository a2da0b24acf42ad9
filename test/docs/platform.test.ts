import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { platformEventExamples } from '../../contract/platform/platform-events.examples';
import { inboundEvents, PLATFORM, SERVICE, outboundEvents } from '../../contract/platform/platform';

const text = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');
const event = z.strictObject({ source: z.string(), 'detail-type': z.string(), detail: z.unknown() });
const examples = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, code = '']) => event.parse(JSON.parse(code)));

test.each(examples.map((example) => [example['detail-type'], example] as const))(
  'the example of %s matches the contract exactly',
  (type, { source, detail }) => {
    const schemas = new Map<string, z.ZodMiniType>(Object.entries(source === SERVICE ? outboundEvents : inboundEvents));
    expect([SERVICE, PLATFORM]).toContain(source);
    expect(schemas.get(type)?.parse(detail)).toEqual(detail);
  },
);

test.each([...Object.keys(outboundEvents), ...Object.keys(inboundEvents)])('%s is documented', (type) => {
  expect(text).toContain(`\`${type}\``);
});

test('each event of the platform has an example', () => {
  const shown = examples.filter(({ source }) => source === PLATFORM).map((example) => example['detail-type']);
  expect(shown.sort()).toEqual(Object.keys(inboundEvents).sort());
});

test.each(examples)('the example of $detail-type is the one of docs/api/platform-asyncapi.json', (example) => {
  expect(platformEventExamples).toContainEqual(example);
});

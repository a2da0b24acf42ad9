import { outboundEvents } from '../../domain/platform/outbound-events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { platformEventExamples } from '../../contract/platform/platform-events.examples';
import { MOST_TOLD } from '../../contract/platform/platform-envelope';
import { inboundEvents } from '../../domain/platform/inbound-events';
import { PLATFORM, SERVICE } from '../../domain/values/service';
import { dropReasons } from '../../domain/platform/drop-reason';

describe('docs/platform.md', () => {
  const text = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');
  const event = z.strictObject({ source: z.string(), 'detail-type': z.string(), detail: z.unknown() });
  const examples = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, code = '']) => event.parse(JSON.parse(code)));

  test.each(examples.map((example) => [example['detail-type'], example] as const))(
    'the example of %s matches the contract exactly',
    (type, { source, detail }) => {
      const schemas = new Map<string, z.ZodMiniType>(
        Object.entries(source === SERVICE ? outboundEvents : inboundEvents),
      );
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
});

describe('Reasons to drop an event', () => {
  const page = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');

  test('docs/platform.md has each reason why an event is dropped, what it says, and whether the platform is told', () => {
    const [, table = ''] = /^(\| `reason`[^]*?)\n\n/m.exec(page) ?? [];
    const rows = table
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, reason, says, told]) => [reason, says, told?.startsWith('yes')]);
    expect(rows).toEqual(Object.entries(dropReasons).map(([name, { says, isTold }]) => [`\`${name}\``, says, isTold]));
  });

  test('docs/platform.md has the limit of report.rejected', () => {
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`At most ${MOST_TOLD} \`report.rejected\` are sent in a minute`);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideNames, readGuide, jsonValuesIn, kindOf, isMessage } from '../guides/read/guide';
import { languageNames } from '../clients/languages';

const guides = guideNames.map(readGuide);
const all = guides.flatMap((guide) =>
  guide.blocks.map((block) => ({ ...block, at: `${guide.name}.md:${block.line}` })),
);
const adapter = readFileSync(join(__dirname, '../../packages/platform-kit/sample-adapter/adapter.py'), 'utf8');
const ofKind = (kind: ReturnType<typeof kindOf>) => all.filter((block) => kindOf(block) === kind);

test('every block of a guide is run, compared or validated', () => {
  expect(all.length).toBeGreaterThan(70);
  expect(all.filter((block) => kindOf(block) === undefined).map(({ at }) => at)).toEqual([]);
});

test.each(guides.map((guide) => [guide.name, guide] as const))(
  'each program of %s has a tab for every language of the clients',
  (_, { text, blocks }) => {
    const tabs = blocks.filter((block) => kindOf(block) === 'program' && block.language !== 'bash');
    const groups = text.match(/^::: code-group$/gm) ?? [];
    expect(tabs.map(({ language }) => language)).toEqual(groups.flatMap(() => languageNames));
  },
);

test('every output follows a shell block', () => {
  for (const { blocks } of guides)
    blocks.forEach((block, index) => {
      if (kindOf(block) === 'output') expect([block.line, blocks[index - 1]?.language]).toEqual([block.line, 'bash']);
    });
});

test.each(ofKind('quote').map(({ at, text }) => [at, text] as const))(
  'the quote at %s is in the sample adapter',
  (_, text) => {
    expect(adapter).toContain(text);
  },
);

test.each(ofKind('message').map((block) => [block.at, block] as const))(
  'the message at %s is in the contract',
  (_, block) => {
    const [value, ...more] = jsonValuesIn(block.text);
    expect(more).toEqual([]);
    expect(isMessage(value)).toBe(true);
  },
);

test('a message with a field too many is not in the contract', () => {
  expect(isMessage({ type: 'heartbeat' })).toBe(true);
  expect(isMessage({ type: 'heartbeat', at: 1 })).toBe(false);
  expect(isMessage({ action: 'unsubscribe', deviceGroup: 'x' })).toBe(false);
});

test('every message of the service with a type has an example in a guide', () => {
  const shown = all.filter(({ language }) => language === 'json').map(({ text }) => text);
  const types = [
    'job.status',
    'device.status',
    'share.status',
    'device.telemetry',
    'share.playback',
    'share.flight',
    'control.outcome',
  ];
  const replies = ['pong', 'subscribed', 'unsubscribed', 'published', 'accepted', 'heartbeat', 'error'];
  expect([...types, ...replies].filter((type) => !shown.some((text) => text.includes(`"type": "${type}"`)))).toEqual(
    [],
  );
});

test('the headers of a deprecated endpoint are those of RFC 9745 and RFC 8594', () => {
  const [example] = ofKind('headers');
  const headers = new Headers(
    example?.text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]),
  );
  const deprecated = Number(/^@(\d+)$/.exec(headers.get('deprecation') ?? '')?.[1]) * 1000;
  const sunset = new Date(headers.get('sunset') ?? '');
  expect(sunset.toUTCString()).toBe(headers.get('sunset'));
  expect(sunset.getTime() - deprecated).toBeGreaterThan(180 * 86_400_000);
  expect(headers.get('link')).toContain('rel="deprecation"');
});

/** As the docs site does, and GitHub. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');

test.each(guides.map((guide) => [guide.name, guide] as const))(
  'the links of %s lead to a guide and a heading',
  (_, guide) => {
    const links = [...guide.text.matchAll(/\]\((?!https?:)([\w.-]*)(?:#([\w-]+))?\)/g)];
    for (const [, file = '', anchor] of links) {
      const target = file === '' ? guide.name : file.replace(/\.md$/, '');
      expect([file, existsSync(join(__dirname, `../../docs/guides/${target}.md`))]).toEqual([file, true]);
      if (anchor !== undefined) expect(readGuide(target).headings.map(anchorOf)).toContain(anchor);
    }
  },
);

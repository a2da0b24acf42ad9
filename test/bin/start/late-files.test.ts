import { lateFiles } from '../../../bin/start/late-files';
import { addDocs } from '../../../bin/start/late-docs';
import { bundleOtherFunctions } from '../../../bin/start/late-functions';

jest.mock('../../../bin/start/late-docs', () => ({ addDocs: jest.fn() }));
jest.mock('../../../bin/start/late-functions', () => ({ bundleOtherFunctions: jest.fn() }));

describe('What a first start leaves for later', () => {
  const bundle = jest.mocked(bundleOtherFunctions);
  const docs = jest.mocked(addDocs);
  const running = new AbortController().signal;
  const shown = Promise.resolve();
  let printed: jest.SpyInstance;
  const calls: string[] = [];

  beforeEach(() => {
    calls.length = 0;
    bundle.mockReset().mockImplementation(() => Promise.resolve(void calls.push('functions')));
    docs.mockReset().mockImplementation(() => Promise.resolve(void calls.push('docs')));
    printed = jest.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => printed.mockRestore());

  /** Both parts as the stack asks for them, and how each ends. */
  const complete = (banner: Promise<void>, ending = running) => {
    const { code, files } = lateFiles(banner);
    return Promise.allSettled([code('cdk.out', ending), files('cdk.out', ending)]);
  };
  const outcomes = async (banner = shown, ending = running) =>
    (await complete(banner, ending)).map(({ status }) => status);

  test('is built after the banner, functions before the docs site', async () => {
    let show: () => void = () => undefined;
    const outcome = outcomes(new Promise((resolve) => (show = resolve)));
    await new Promise(setImmediate);
    expect(calls).toEqual([]);
    show();
    await expect(outcome).resolves.toEqual(['fulfilled', 'fulfilled']);
    expect(calls).toEqual(['functions', 'docs']);
  });

  test('is built although the banner waits for it', async () => {
    const { code } = lateFiles(new Promise(() => undefined), 1);
    const alive = setInterval(() => undefined, 1000);
    await code('cdk.out', running);
    clearInterval(alive);
    expect(calls).toEqual(['functions']);
  });

  test.each<[what: string, fails: () => void, expected: string[], message: string[]]>([
    ['functions', () => bundle.mockRejectedValue(new Error('no space')), ['rejected', 'fulfilled'], ['no space']],
    [
      'functions by esbuild, which prints it',
      () => bundle.mockRejectedValue(Object.assign(new Error('Build failed'), { errors: [] })),
      ['rejected', 'fulfilled'],
      [],
    ],
    [
      'the docs site, which prints it',
      () => docs.mockRejectedValue(new Error('no such guide')),
      ['fulfilled', 'rejected'],
      [],
    ],
  ])('fails apart from each other: %s', async (_, fails, expected, message) => {
    fails();
    await expect(outcomes()).resolves.toEqual(expected);
    expect(printed.mock.calls.flat()).toEqual(message);
  });

  test('prints nothing when the stack ends before', async () => {
    bundle.mockRejectedValue(new Error('ended'));
    await outcomes(shown, AbortSignal.abort());
    expect(printed).not.toHaveBeenCalled();
  });
});

import * as causes from '../../contract/terms/forbidden';
import { oauthRefusal, refusals, resourceRefusal, socketError } from '../../contract/refusals';
import { foreign, refusalCodes, type Refusal } from '../../domain/values/refusal';
import { readGuide, rowsBelow } from '../guides/read/guide';

const guide = readGuide('errors');
const plain = (cell = '') => cell.replaceAll('`', '');

/** Every cause of a 403: what it says, and a word of the guide's advice. */
const forbiddenCauses: Record<string, [refusal: Refusal, path: string, message: string, advice: RegExp]> = {
  lacksScope: [
    causes.lacksScope('Authorization', 'command:create'),
    'Authorization',
    'needs scope command:create',
    /operator for the scope/,
  ],
  foreign: [foreign('jobId'), 'jobId', "is not your organisation's", /identifier/],
  clientSuspended: [causes.clientSuspended(), 'Authorization', 'the client is suspended or was removed', /operator/],
  apiKeyUnknown: [causes.apiKeyUnknown(), 'x-api-key', 'is missing or unknown', /API key of your onboarding/],
  apiKeyRefused: [
    causes.apiKeyRefused(),
    'x-api-key',
    "is not this client's, or the client is suspended",
    /of one onboarding/,
  ],
  tokenOfAnotherClient: [
    causes.tokenOfAnotherClient(),
    'token',
    'is not of the client that opened the socket',
    /of the same client/,
  ],
  notForViewers: [causes.notForViewers(), 'action', 'is not for viewers of a share', /connect with a token/],
  onlyForViewers: [causes.onlyForViewers(), 'action', 'is only for viewers of a share', /share code/],
  commandsNotPermitted: [
    causes.commandsNotPermitted(),
    '',
    'the share does not permit this, or it has ended',
    /permission control/,
  ],
  noVideoShared: [causes.noVideoShared(), '', 'the share is not of live video', /status only/],
};

describe('A 403', () => {
  test('has no cause that is not listed here', () => {
    expect(Object.keys(forbiddenCauses)).toEqual(expect.arrayContaining(Object.keys(causes)));
    expect(Object.keys(forbiddenCauses)).toHaveLength(Object.keys(causes).length + 1);
  });

  test.each(Object.entries(forbiddenCauses))('says of %s what it is, in the form of each interface', (_, cause) => {
    const [refusal, path, message] = cause;
    const body = { error: 'Forbidden', details: [{ path, message }] };
    expect(resourceRefusal(refusal)).toEqual({ status: 403, body });
    expect(socketError(refusal)).toEqual({ type: 'error', code: 'forbidden', ...body });
    expect(oauthRefusal(refusal)).toEqual({
      status: 403,
      body: { error: 'Forbidden', error_description: path ? `${path}: ${message}` : message },
    });
  });

  test.each(Object.entries(forbiddenCauses))('because of %s has advice in the catalogue', (_, cause) => {
    const [, path, message, advice] = cause;
    const rows = rowsBelow(guide, 'Causes of a 403').filter(
      ([, texts = '']) =>
        plain(texts)
          .split(', ')
          .some((text) => (text.endsWith('…') ? message.startsWith(text.slice(0, -1)) : message === text)) ||
        plain(texts) === message,
    );
    expect(rows).toHaveLength(1);
    const [[paths = '', , , whatToDo = ''] = []] = rows;
    expect(plain(paths).split(', ')).toContain(path);
    expect(plain(whatToDo)).toMatch(advice);
  });

  test.each(Object.entries(forbiddenCauses))(
    'because of %s has a text that stays valid in JSON as it is',
    (_, cause) => {
      const [, , message] = cause;
      expect(JSON.stringify(message)).toBe(`"${message}"`);
    },
  );
});

/** The row of a refusal in the catalogue, by status and text, or by its code over WebSockets. */
function adviceOn(code: keyof typeof refusals): string {
  const { status, text } = refusals[code];
  const http = ['REST API', 'Token endpoint'].flatMap((heading) => rowsBelow(guide, heading));
  const found = http.find(([each, error]) => each === String(status) && plain(error) === text);
  const overSockets = rowsBelow(guide, 'Messages over WebSockets').find(([each]) => plain(each) === code);
  const inHandshake = rowsBelow(guide, 'Handshakes of WebSockets').find(([, cause = '']) =>
    cause.includes(`\`${text}\``),
  );
  return (found ?? overSockets ?? inHandshake)?.at(-1) ?? '';
}

test.each(refusalCodes)('the catalogue tells what to do about %s', (code) => {
  expect(adviceOn(code)).toMatch(/\w{4}/);
});

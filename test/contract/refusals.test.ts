import { oauthRefusal, refusals, resourceRefusal, socketError } from '../../contract/refusals';
import * as causes from '../../contract/terms/forbidden';
import { foreign, invalid, Refusal, type RefusalCode, refusalCodes } from '../../domain/values/refusal';
import { readGuide, rowsBelow } from '../guides/read/guide';

describe('Refusals', () => {
  /** Spec section 7 and DESIGN section 3, written out. */
  const expected: Record<RefusalCode, [status: number, text: string]> = {
    invalid_request: [400, 'invalid_request'],
    unsupported_grant_type: [400, 'unsupported_grant_type'],
    invalid_client: [401, 'invalid_client'],
    unauthorized: [401, 'Unauthorized'],
    forbidden: [403, 'Forbidden'],
    job_not_found: [404, 'Job not found'],
    mission_not_found: [404, 'Mission not found'],
    command_not_found: [404, 'Command not found'],
    share_not_found: [404, 'Share not found'],
    device_group_not_found: [404, 'Device group not found'],
    resource_not_found: [404, 'Resource not found'],
    not_acceptable: [406, 'Not acceptable'],
    unsupported_media_type: [415, 'Unsupported media type'],
    cannot_cancel: [400, 'Cannot cancel job'],
    no_device: [409, 'no_device'],
    cannot_command: [409, 'cannot_command'],
    held_by: [409, 'held_by'],
    cursor_expired: [410, 'Cursor expired'],
    stale_version: [412, 'Precondition failed'],
    too_many_viewers: [429, 'Too many viewers'],
    unknown_action: [400, 'Unknown action'],
    too_many_requests: [429, 'Too many requests'],
  };

  test('every refusal code of the domain has an HTTP response, and no other code has', () => {
    expect(Object.keys(refusals).sort()).toEqual([...refusalCodes].sort());
  });

  test.each(refusalCodes)('%s has the status and text of the spec', (code) => {
    const [status, error] = expected[code];
    expect(resourceRefusal(new Refusal(code))).toEqual({ status, body: { error } });
  });

  test('invalid input is described in details', () => {
    expect(resourceRefusal(invalid('name', 'is too long')).body).toEqual({
      error: 'invalid_request',
      details: [{ path: 'name', message: 'is too long' }],
    });
  });

  test.each(['invalid_request', 'unsupported_grant_type', 'invalid_client'] as const)(
    'the token endpoint returns %s as an OAuth error with a description',
    (code) => {
      const { status, body } = oauthRefusal(new Refusal(code));
      expect([status, body.error]).toEqual([expected[code][0], code]);
      expect(body.error_description).toMatch(/^[A-Za-z].+\.$/);
    },
  );

  test('the token endpoint describes each invalid part of the request', () => {
    const refusal = new Refusal('invalid_request', [
      { path: 'grant_type', message: 'is missing' },
      { path: '', message: 'a JSON body is required' },
    ]);
    expect(oauthRefusal(refusal).body).toEqual({
      error: 'invalid_request',
      error_description: 'grant_type: is missing; a JSON body is required',
    });
  });

  test('the token endpoint returns Forbidden for an API key of another client, since OAuth has no code for it', () => {
    expect(oauthRefusal(new Refusal('forbidden'))).toEqual({ status: 403, body: { error: 'Forbidden' } });
  });
});

describe('Refusal causes', () => {
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
});

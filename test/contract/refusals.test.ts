import { oauthRefusal, refusals, resourceRefusal } from '../../contract/refusals';
import { Refusal, invalid, refusalCodes, type RefusalCode } from '../../domain/values/refusal';

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

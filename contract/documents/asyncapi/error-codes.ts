import type { Contract } from '../../contract';
import type { SocketErrorCode } from '../../refusals';
import { CONTROL_TAKEN_PER_MINUTE, CONTROLS_PER_MINUTE } from '../../terms/rates';

/** What causes an error over a WebSocket, for partners. */
const causes: Readonly<Record<string, string>> = {
  invalid_request: 'A field is missing, wrong or unknown; `details` names it. Nothing was done.',
  unknown_action:
    'The socket has no such action; those of status channels know only `ping` and `authenticate`. Also the answer once the token or the share has expired.',
  unauthorized: 'The new token is invalid or has expired. The socket goes on with the earlier one.',
  forbidden:
    'The token lacks the scope, the device or group belongs to another organisation, or the share does not permit it. For `authenticate` also: the token is of another client, or its client is suspended.',
  resource_not_found: 'There is no such device.',
  device_group_not_found: 'There is no such device group.',
  share_not_found: 'The share has ended; for `flight` also: its device was removed.',
  too_many_requests: `More than ${CONTROLS_PER_MINUTE.share} commands in this minute for the share, or ${CONTROLS_PER_MINUTE.device} for its device; \`PAUSE\`, \`RETURN_HOME\` and \`LAND\` are not counted there, but more than ${CONTROLS_PER_MINUTE.stopsOfViewer} of a viewer, or ${CONTROLS_PER_MINUTE.stopsOfShare} for the share beside the first ${CONTROLS_PER_MINUTE.firstStopsOfViewer} of each viewer; for \`takeControl\` more than ${CONTROL_TAKEN_PER_MINUTE} in this minute for the share.`,
  cannot_command:
    'The device can’t be told this now: it is on the ground, it is not in flight, or a return or landing has not ended. `details` says which.',
  held_by:
    'The partner or another viewer holds the control of the device; `details` says which, and until when. `PAUSE` and `RETURN_HOME` are never refused for it.',
  internal_error: 'The service failed. The message may be sent again.',
} satisfies Partial<Record<SocketErrorCode, string>>;

/** The codes of errors with which these actions are answered. */
export function findErrorCodes(actions: readonly Contract['actions'][string][]): string[] {
  const own = actions.flatMap(({ needs, refusals }) => [
    'invalid_request',
    ...(needs === 'anyone' ? [] : ['forbidden']),
    ...refusals,
  ]);
  return [...new Set([...own, 'internal_error'])];
}

/** A list of codes with their causes, in Markdown. @throws Error for a code whose cause is not described here */
export const errorCodeList = (codes: readonly string[]): string[] =>
  codes.map((code, index) => {
    const cause = causes[code];
    if (cause === undefined) throw new Error(`error-codes.ts does not say what causes ${code}`);
    return `${index === 0 ? '\n' : ''}- \`${code}\`: ${cause}`;
  });

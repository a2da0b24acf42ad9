import type { AwsAnswer } from './service';

/** The three families of AWS protocols, told apart by the request's content type. */
export type AwsRequestKind = 'json' | 'query' | 'rest';

/** An error as an SDK of that protocol family reads it (Smithy: awsJson1_1, awsQuery, restJson1 error serialization). */
export function failure(kind: AwsRequestKind, status: number, code: string, message: string): AwsAnswer {
  if (kind === 'query') {
    return {
      status,
      headers: { 'content-type': 'text/xml' },
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${xml(message)}</Message></Error></ErrorResponse>`,
    };
  }
  return {
    // The JSON protocols answer every client error with 400.
    status: kind === 'json' && status < 500 ? 400 : status,
    headers: {
      'content-type': kind === 'json' ? 'application/x-amz-json-1.0' : 'application/json',
      'x-amzn-errortype': code,
    },
    body: JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message }),
  };
}

/** What AWS answers to a caller whose policies do not allow an action. */
export function accessDenied(
  kind: AwsRequestKind,
  caller: string,
  refused: { readonly action: string; readonly resource: string },
): AwsAnswer {
  const code = kind === 'query' ? 'AccessDenied' : 'AccessDeniedException';
  const message = `User: ${caller} is not authorized to perform: ${refused.action} on resource: ${refused.resource}`;
  return failure(kind, 403, code, message);
}

/** Text made safe between XML tags. */
export function xml(text: string): string {
  return text.replace(/[<>&'"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { AwsAnswer } from '../service';

/** The three families of AWS protocols, identified by the request's content type, and S3, whose errors are its own. */
export type AwsRequestKind = 'json' | 'query' | 'rest' | 's3';

/** An error as the SDK parses it (Smithy: awsJson1_1, awsQuery, restJson1 error serialization; S3's "Error responses"). */
export function failure(kind: AwsRequestKind, status: number, code: string, message: string): AwsAnswer {
  if (kind === 'query') {
    return {
      status,
      headers: { 'content-type': 'text/xml' },
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${xml(message)}</Message></Error></ErrorResponse>`,
    };
  }
  if (kind === 's3') {
    return {
      status,
      headers: { 'content-type': 'application/xml', server: 'AmazonS3' },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${xml(message)}</Message></Error>`,
    };
  }
  return {
    // The JSON protocols use 400 for every client error.
    status: kind === 'json' && status < 500 ? 400 : status,
    headers: {
      'content-type': kind === 'json' ? 'application/x-amz-json-1.0' : 'application/json',
      'x-amzn-errortype': code,
    },
    body: JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message }),
  };
}

/** The error for an action that the caller's policies do not allow. */
export function accessDenied(
  kind: AwsRequestKind,
  caller: string,
  denied: { readonly action: string; readonly resource: string },
): AwsAnswer {
  const code = kind === 'query' || kind === 's3' ? 'AccessDenied' : 'AccessDeniedException';
  const message = `User: ${caller} is not authorized to perform: ${denied.action} on resource: ${denied.resource}`;
  return failure(kind, 403, code, message);
}

/** Escapes text for XML. */
export function xml(text: string): string {
  return text.replace(/[<>&'"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

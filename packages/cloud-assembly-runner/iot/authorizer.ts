/** Custom authorizers: AWS IoT Core developer guide, "Defining your Lambda function" and "Troubleshooting your authorizers". */
import * as z from 'zod';
import { FunctionError, type Lambda } from '../lambda';
import { parsePolicy, type PolicyDocument } from '../iam/policy';

/** Time that AWS allows the function. */
const AUTHORIZER_TIMEOUT_MS = 5000;
const MAX_DOCUMENTS = 10;
const MAX_DOCUMENT_CHARACTERS = 2048;

/** Credentials in a client's TLS handshake and CONNECT. */
export interface Credentials {
  readonly connectionId: string;
  /** Server name indication of the TLS handshake; a client that connects to an IP address sends none. */
  readonly serverName: string | undefined;
  /** Of the WebSocket handshake, for a client that connects over one. */
  readonly http?: { readonly headers: Readonly<Record<string, string>>; readonly queryString: string } | undefined;
  /** Empty when the broker is to assign one. */
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
}

/** Principal and policies of an authenticated client. */
export interface Authorization {
  readonly principalId: string;
  readonly documents: readonly PolicyDocument[];
  readonly disconnectAfterSeconds: number;
  readonly refreshAfterSeconds: number;
}

/** Resolves with `undefined` when the function refuses the client, fails, or returns an invalid response. */
export type Authorizer = (credentials: Credentials) => Promise<Authorization | undefined>;

const documentText = z.string().max(MAX_DOCUMENT_CHARACTERS);
const documentObject = z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value));
const policyDocument = z
  .union([z.string(), documentObject])
  .pipe(documentText)
  .transform((text, context): PolicyDocument => {
    try {
      const document = parsePolicy(JSON.parse(text));
      if (document.Version === '2012-10-17') return document;
    } catch {
      // Reported below.
    }
    context.addIssue('not a policy of version 2012-10-17');
    return z.NEVER;
  });

const seconds = z.int().min(300).max(86_400);
const answer = z.discriminatedUnion('isAuthenticated', [
  z.object({ isAuthenticated: z.literal(false) }),
  z.object({
    isAuthenticated: z.literal(true),
    principalId: z.string().regex(/^[a-zA-Z0-9]{1,128}$/),
    policyDocuments: z.array(policyDocument).max(MAX_DOCUMENTS),
    disconnectAfterInSeconds: seconds,
    refreshAfterInSeconds: seconds,
  }),
]);

export interface AuthorizerOptions {
  readonly arn: string;
  readonly functionArn: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  log(line: string): void;
}

/** Creates an authorizer that invokes its function for each connection. The reason of a refusal is logged, without secrets. */
export function createAuthorizer({ arn, functionArn, lambda, log }: AuthorizerOptions): Authorizer {
  return async (credentials) => {
    const refuse = (reason: string) => log(`${arn} refused connection ${credentials.connectionId}: ${reason}`);
    if (!lambda.permits(functionArn, 'iot.amazonaws.com', arn)) {
      refuse(`no AWS::Lambda::Permission allows it to invoke ${functionArn}`);
      return undefined;
    }
    try {
      const parsed = answer.safeParse(await withinLimit(lambda.invoke(functionArn, eventOf(credentials))));
      if (!parsed.success) refuse(`invalid response of its function\n${z.prettifyError(parsed.error)}`);
      else if (!parsed.data.isAuthenticated) refuse('not authenticated');
      else return authorizationOf(parsed.data);
    } catch (error) {
      refuse(`its function failed: ${error instanceof FunctionError ? error.type : String(error)}`);
    }
    return undefined;
  };
}

function authorizationOf(answered: Extract<z.infer<typeof answer>, { isAuthenticated: true }>): Authorization {
  return {
    principalId: answered.principalId,
    documents: answered.policyDocuments,
    disconnectAfterSeconds: answered.disconnectAfterInSeconds,
    refreshAfterSeconds: answered.refreshAfterInSeconds,
  };
}

/** Event of the function; fields that the client did not send are left out. */
function eventOf({ connectionId, serverName, http, clientId, username, password }: Credentials) {
  return {
    protocols: ['tls', ...(http ? ['http'] : []), 'mqtt'],
    protocolData: {
      tls: { ...(serverName !== undefined && { serverName }) },
      ...(http && { http }),
      mqtt: {
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password: password.toString('base64') }),
        ...(clientId !== '' && { clientId }),
      },
    },
    connectionMetadata: { id: connectionId },
  };
}

async function withinLimit<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${AUTHORIZER_TIMEOUT_MS} ms`)),
      AUTHORIZER_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}

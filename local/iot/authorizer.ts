/** Custom authorizers: AWS IoT Core developer guide, "Defining your Lambda function" and "Troubleshooting your authorizers". */
import * as z from 'zod';
import { FunctionError, type Lambda } from '../lambda';
import { parsePolicy, type PolicyDocument } from '../policy';

/** AWS waits so long for the function. */
const LIMIT_MS = 5000;
const MAX_DOCUMENTS = 10;
const MAX_DOCUMENT_CHARACTERS = 2048;

/** What a client says of itself when it connects. */
export interface Credentials {
  readonly connectionId: string;
  /** Server name indication of its TLS handshake; a client that connects by address sends none. */
  readonly serverName: string | undefined;
  /** Empty when it leaves the choice to the broker. */
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
}

/** Who a client is and what it may do. */
export interface Verdict {
  readonly principalId: string;
  readonly documents: readonly PolicyDocument[];
  readonly disconnectAfterSeconds: number;
  readonly refreshAfterSeconds: number;
}

/** Resolves with `undefined` for whoever is refused: by the function, for its failure, or for its unusable answer. */
export type Authorizer = (credentials: Credentials) => Promise<Verdict | undefined>;

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
      // Said below.
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

/** An authorizer that calls its function for each connection; why somebody is refused goes to the log, without secrets. */
export function createAuthorizer({ arn, functionArn, lambda, log }: AuthorizerOptions): Authorizer {
  return async (credentials) => {
    const refuse = (reason: string) => log(`${arn} refused connection ${credentials.connectionId}: ${reason}`);
    if (!lambda.permits(functionArn, 'iot.amazonaws.com', arn)) {
      refuse(`no AWS::Lambda::Permission lets it invoke ${functionArn}`);
      return undefined;
    }
    try {
      const parsed = answer.safeParse(await withinLimit(lambda.invoke(functionArn, eventOf(credentials))));
      if (!parsed.success) refuse(`the answer of its function is not usable\n${z.prettifyError(parsed.error)}`);
      else if (!parsed.data.isAuthenticated) refuse('not authenticated');
      else return verdictOf(parsed.data);
    } catch (error) {
      refuse(`its function failed: ${error instanceof FunctionError ? error.type : String(error)}`);
    }
    return undefined;
  };
}

function verdictOf(answered: Extract<z.infer<typeof answer>, { isAuthenticated: true }>): Verdict {
  return {
    principalId: answered.principalId,
    documents: answered.policyDocuments,
    disconnectAfterSeconds: answered.disconnectAfterInSeconds,
    refreshAfterSeconds: answered.refreshAfterInSeconds,
  };
}

/** What the client did not send is left out. */
function eventOf({ connectionId, serverName, clientId, username, password }: Credentials) {
  return {
    protocols: ['tls', 'mqtt'],
    protocolData: {
      tls: { ...(serverName !== undefined && { serverName }) },
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
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}

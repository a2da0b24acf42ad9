/** Lambda proxy integrations: API Gateway developer guide, "Lambda proxy integrations for WebSocket APIs". */
import * as z from 'zod';
import type { Functions } from '../api-gateway/integrations/functions';
import { FunctionError } from '../lambda';
import type { Route } from './resources';
import type { WebSocketEvent } from './events';

const output = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).nullish(),
  body: z.string().nullish(),
});

export type IntegrationResult = z.infer<typeof output>;

/** The function gave no valid response; a handshake is refused with `status`. */
export class IntegrationFailure extends Error {
  constructor(readonly status: 500 | 502 | 504) {
    super(`Integration failure ${status}`);
    this.name = 'IntegrationFailure';
  }
}

/** Invokes a route's function on behalf of `sourceArn`; rejects with IntegrationFailure only. */
export async function callRoute(
  { functionArn, timeoutMs }: Route,
  sourceArn: string,
  event: WebSocketEvent,
  functions: Functions,
): Promise<IntegrationResult> {
  const result = await within(timeoutMs, functions.invoke(functionArn, sourceArn, event)).catch((error: unknown) => {
    if (error instanceof IntegrationFailure) throw error;
    // The function failed, or there is no permission to invoke it.
    throw new IntegrationFailure(error instanceof FunctionError ? 502 : 500);
  });
  const parsed = output.safeParse(result);
  if (parsed.success) return parsed.data;
  functions.log(
    `Execution failed: malformed Lambda proxy response of ${functionArn}: ${z.prettifyError(parsed.error)}`,
  );
  throw new IntegrationFailure(502);
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new IntegrationFailure(504)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

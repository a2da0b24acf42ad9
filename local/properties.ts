import * as z from 'zod';
import type { Resource } from './service';

/** The properties of a resource in the shape that a service plays; throws naming the resource for any other. */
export function propertiesOf<T>({ type, logicalId, properties }: Resource, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(properties);
  if (parsed.success) return parsed.data;
  throw new Error(`${type} ${logicalId} can't be played on this machine:\n${z.prettifyError(parsed.error)}`);
}

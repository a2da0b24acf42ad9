import * as z from 'zod';
import type { Resource } from '../service';

/** Parses the properties of a resource. @throws Error naming the resource if a property is invalid or not supported */
export function propertiesOf<T>({ type, logicalId, properties }: Resource, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(properties);
  if (parsed.success) return parsed.data;
  throw new Error(`${type} ${logicalId} is not supported on this machine:\n${z.prettifyError(parsed.error)}`);
}

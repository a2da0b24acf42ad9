import * as z from 'zod';
import { organisationId, type Organisation } from '../../domain/values/id';

/** An organisation's public id, `org-7k2m9qx4`, parsed into its tag. */
export const organisationTag = z
  .string()
  .regex(new RegExp(`^${organisationId('[0-9a-z]{8}')}$`), 'must be org- and eight characters, as `list` shows them')
  .transform((id): Organisation => id.slice(organisationId('').length));

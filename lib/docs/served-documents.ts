import { Fn } from 'aws-cdk-lib/core';
import { Source, type ISource } from 'aws-cdk-lib/aws-s3-deployment';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const OPENAPI = 'openapi.json';

/**
 * The OpenAPI document with the address of this deployment as its only server, so that generators and the reference use it.
 * @param folder of the published document
 * @param baseUrl of the REST API, which may be known at deployment only
 */
export function openApiFor(folder: string, baseUrl: string): ISource {
  const published = JSON.parse(readFileSync(join(folder, OPENAPI), 'utf8')) as Record<string, unknown>;
  // As one value: it is replaced in the file as a whole.
  const url = Fn.sub('${BaseUrl}', { BaseUrl: baseUrl });
  return Source.jsonData(OPENAPI, { ...published, servers: [{ url, description: 'This deployment' }] });
}

import { headers } from './headers';
import { externalDocs, openApiInfo, openApiServers, tags } from './openapi-info';
import type { OpenApiDocument } from './openapi-types';
import { pathItems } from './operations';
import { parameters } from './parameters';
import { componentSchemas } from './schemas';
import { openApiSecuritySchemes } from './security';

/** The OpenAPI document of the REST API, generated from the table of endpoints. */
export const openApiDocument = (): OpenApiDocument => ({
  openapi: '3.1.1',
  info: openApiInfo,
  externalDocs,
  servers: openApiServers,
  tags,
  paths: pathItems(),
  components: { schemas: componentSchemas, headers, parameters, securitySchemes: openApiSecuritySchemes },
});

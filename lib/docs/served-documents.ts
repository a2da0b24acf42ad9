import { Fn } from 'aws-cdk-lib/core';
import { Source, type ISource } from 'aws-cdk-lib/aws-s3-deployment';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the published documents. */
const folder = join(__dirname, '../../docs/api');
const OPENAPI = 'openapi.json';
const ASYNCAPI = 'asyncapi.json';

/**
 * The OpenAPI document with the address of this deployment as its only server, so that generators and the reference use it.
 * @param baseUrl of the REST API, which may be known at deployment only
 */
export function openApiFor(baseUrl: string): ISource {
  const published = JSON.parse(readFileSync(join(folder, OPENAPI), 'utf8')) as Record<string, unknown>;
  // As one value: it is replaced in the file as a whole.
  const url = Fn.sub('${BaseUrl}', { BaseUrl: baseUrl });
  return Source.jsonData(OPENAPI, { ...published, servers: [{ url, description: 'This deployment' }] });
}

/**
 * The AsyncAPI document with the address of this deployment for MQTT, on AWS and on one machine. The page of the channels knows
 * that of the sockets, which is its own.
 * @param mqttHost `<name>:<port>`, which may be known at deployment only
 */
export function asyncApiFor(mqttHost: string): ISource {
  const published = JSON.parse(readFileSync(join(folder, ASYNCAPI), 'utf8')) as {
    servers: Record<string, { variables?: unknown }>;
  };
  const host = Fn.sub('${MqttHost}', { MqttHost: mqttHost });
  const servers = ['mqtt', 'localMqtt'].map((name) => {
    const { variables: _none, ...server } = published.servers[name] ?? {};
    return [name, { ...server, host }];
  });
  return Source.jsonData(ASYNCAPI, {
    ...published,
    servers: { ...published.servers, ...(Object.fromEntries(servers) as object) },
  });
}

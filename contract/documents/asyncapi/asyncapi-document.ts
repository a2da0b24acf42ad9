import { contract } from '../../contract';
import { scopes } from '../../terms/scopes';
import { findField } from '../fields';
import { asyncApiInfo } from './asyncapi-info';
import { messageComponents, type Messaging } from './message-components';
import { asyncApiSecuritySchemes, asyncApiServers } from './servers';
import { describeStatusChannels } from './status-channel-documents';
import { telemetryChannels } from './telemetry-channels';

/**
 * The AsyncAPI document for partners, generated from the tables of channels and WebSocket actions. It describes the partner's
 * application (AsyncAPI 3.0.0, "Definitions"): what that application sends and receives.
 */
export function asyncApiDocument(messaging: Messaging = contract) {
  const [status, telemetry] = [describeStatusChannels(messaging), telemetryChannels(messaging)];
  const used = new Set<string>([
    ...Object.values(messaging.channels).map(({ scope }) => scope),
    ...Object.values(messaging.actions).map(({ needs }) => needs),
  ]);
  return {
    asyncapi: '3.0.0',
    id: 'urn:drone-mission-api:partner',
    info: asyncApiInfo,
    defaultContentType: 'application/json',
    servers: asyncApiServers,
    channels: { ...status.channels, ...telemetry.channels },
    operations: { ...status.operations, ...telemetry.operations },
    components: {
      ...messageComponents(messaging),
      correlationIds: { messageId: { description: findField('id')?.description, location: '$message.payload#/id' } },
      securitySchemes: asyncApiSecuritySchemes(scopes.filter((scope) => used.has(scope))),
    },
  };
}

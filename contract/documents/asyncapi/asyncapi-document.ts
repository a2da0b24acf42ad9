import { contract } from '../../contract';
import { scopes } from '../../terms/scopes';
import { fieldOf } from '../fields';
import { info } from './info';
import { messageComponents, type Messaging } from './messages';
import { securitySchemes, servers } from './servers';
import { statusChannels } from './status-channels';
import { telemetryChannels } from './telemetry-channels';

/**
 * The AsyncAPI document for partners, generated from the tables of channels and WebSocket actions. It describes the partner's
 * application (AsyncAPI 3.0.0, "Definitions"): what that application sends and receives.
 */
export function asyncApiDocument(messaging: Messaging = contract) {
  const [status, telemetry] = [statusChannels(messaging), telemetryChannels(messaging)];
  const used = new Set<string>([
    ...Object.values(messaging.channels).map(({ scope }) => scope),
    ...Object.values(messaging.actions).map(({ needs }) => needs),
  ]);
  return {
    asyncapi: '3.0.0',
    id: 'urn:drone-mission-api:partner',
    info,
    defaultContentType: 'application/json',
    servers,
    channels: { ...status.channels, ...telemetry.channels },
    operations: { ...status.operations, ...telemetry.operations },
    components: {
      ...messageComponents(messaging),
      correlationIds: { messageId: { description: fieldOf('id')?.description, location: '$message.payload#/id' } },
      securitySchemes: securitySchemes(scopes.filter((scope) => used.has(scope))),
    },
  };
}

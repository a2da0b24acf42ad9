import { readGreeting, type Greeting } from '../../data/connections/greetings';
import { hangUp } from '../../data/connections/sockets';
import { greetChannel } from '../channel/greeting/channel';
import { OPENING_MS } from '../channel/greeting/opening';
import { greetSubscription } from '../channel/greeting/subscription';
import { greetViewer } from '../channel/greeting/viewer';
import { logger } from '../logger';

function greet(greeting: Greeting): Promise<void> {
  switch (greeting.kind) {
    case 'channel':
      return greetChannel(greeting.connection, greeting.end);
    case 'viewer':
      return greetViewer(greeting.connectionId, greeting.end);
    case 'subscription':
      return greetSubscription(greeting.connectionId, greeting.followed);
  }
}

const connectionIdOf = (greeting: Greeting) =>
  greeting.kind === 'channel' ? greeting.connection.connectionId : greeting.connectionId;

/**
 * An event for each new connection or subscription → its first messages: the state, then what happened meanwhile. A socket
 * that can't be told is closed, so that its client comes back: open, it would hear nothing and not know it.
 */
export async function handler(event: unknown): Promise<void> {
  const greeting = readGreeting(event);
  try {
    await greet(greeting);
  } catch (error) {
    const connectionId = connectionIdOf(greeting);
    logger.error('a connection could not be greeted', { connectionId, error });
    await hangUp(connectionId, OPENING_MS);
  }
}

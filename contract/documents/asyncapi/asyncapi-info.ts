import { MAX_CONNECTIONS, MAX_SUBSCRIPTIONS } from '../../channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from '../../terms/rates';
import { MAX_SAMPLES } from '../../telemetry/telemetry.actions';
import { viewerHandshakesPerMinute } from '../../../domain/shares/share';

const handshakesBesideSeats = viewerHandshakesPerMinute({ maxViewers: 0 });

const description = `
The real-time part of the Drone Mission Integration API: the status of jobs, device groups and shares over MQTT and WebSockets, and
live telemetry over WebSockets. The OpenAPI document describes the REST part.

The document takes the view of your application: it *receives* what the service sends, and *sends* messages that the service
answers. None of the operations is mandatory.

## MQTT

- MQTT 3.1.1 or 5 over TLS. User name: your \`client_id\`; password: an access token. The MQTT client id is your \`client_id\` and,
  if you have several connections, a suffix of up to 102 letters, digits, \`_\`, \`:\`, \`.\` or \`-\`. A second connection with the same
  MQTT client id ends the first.
- **Token.** One with less than five minutes left is refused: get a new one when six minutes are left. The session ends with its
  token, or up to five minutes earlier. Connect again then and subscribe again.
- Sessions must be clean (MQTT 5: no session expiry) and without a last will; other connections are refused. A
  new subscription to a job or a share begins with the current state, one to a group with the latest change of any of its devices.
- **Subscriptions.** At most ${MAX_SUBSCRIPTIONS} per client, over all of its connections, 50 per connection, and 8 topics in one SUBSCRIBE. A
  connection that exceeds any of them is closed, without a SUBACK. A topic that your scopes or your organisation don't allow is refused in the SUBACK
  (0x80), as is any wildcard.
- **Publishing** closes the connection.
- The broker retains the latest state of a topic, of a job or a share only while somebody is subscribed. A change replaces it; an empty
  message clears it (\`cleared\`).

## WebSockets

- The handshake needs \`Authorization: Bearer …\`, or \`?token=\`, or for viewers \`?shareCode=\`. A refused handshake has an HTTP status:

| status | cause |
| --- | --- |
| 401 | No token, or an invalid or expired one |
| 403 | The token lacks the scope, the resource is another organisation's, or the client is suspended |
| 404 | There is no such path, resource or share, or the share has ended |
| 429 | The client has ${MAX_CONNECTIONS} open connections, or ${HANDSHAKES_PER_MINUTE} handshakes in this minute, granted or not; the share has \`maxViewers\` viewers, or ${handshakesBesideSeats} + \`maxViewers\` handshakes in this minute. A full share may have a seat in a few seconds; limits of a minute begin anew with the next minute of the clock |
| 500 | The service failed; try again |

- **Lifetime.** A connection ends with the token that opened it, and after two hours at the latest.
- **Messages** are text frames of JSON objects. Those from you have an \`action\`, those from the service a \`type\`. A frame from you may
  have at most 32 KB and a message 128 KB, else the socket is closed with code 1009. ${MAX_SAMPLES} samples with every field fit into one frame.
- **Answers.** An \`id\` on your message comes back on its answer. Answers may overtake each other and come between other messages.
  What can't be done gets an \`error\`, and the socket stays open. If the service can't run at all, the answer is
  \`{"message", "connectionId", "requestId"}\`, without \`type\` and \`id\`: send the message again.
- **Heartbeat.** \`heartbeat\` comes within two minutes after connecting and every four minutes from then on. After five minutes
  without any message the connection is dead: close it and connect again. \`ping\` gets \`pong\` at any time.
- **Close codes:**

| code | cause | what to do |
| --- | --- | --- |
| 1000 | The service has ended the connection: after the final message, when the token or share has expired, when the partner is suspended, or when a message could not be delivered | After a final message nothing; otherwise connect again, with a new token if the old one has expired |
| 1001 | The connection has lasted two hours, or API Gateway ends it | Connect again |
| 1003 | Your message was binary | Send text |
| 1009 | Your frame or message was too large | Send fewer samples at once |
| 1006 (no close frame) | The network failed | Connect again, with growing pauses |

- A socket that does not take a message within two seconds is closed, so that it misses nothing unnoticed: the snapshot after
  reconnecting has the current state.

## Order, repeats and gaps

- Delivery is **at least once**.
- **Status messages** of one job, device or share come **in order**, except that a position may follow the change after it, or
  in rare cases come before its own: those of a job begin a second after its state has changed.
  \`sequence\` is the version of the resource. Drop a message whose \`sequence\` is lower than the last one of its resource, and one whose
  \`sequence\` and \`timestamp\` you have seen. A gap is not always a loss, since changes of other fields count too; the state after
  reconnecting settles it.
- **Telemetry**: \`sequence\` is the sample's time in Unix milliseconds. Rarely an older sample follows a newer one: drop a sample whose
  \`sequence\` is not higher than the last one of its device.
- Messages may get further fields at any time: ignore those that you don't know, and messages of a \`type\` that you don't know.
`.trim();

export const asyncApiInfo = {
  title: 'Drone Mission Integration API: real time',
  version: '3.0.0',
  description,
  contact: { name: 'Drone Mission Integration API', url: 'https://api.drone-missions.example/docs/' },
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  externalDocs: {
    description: 'Guides, and the reference of the REST API',
    url: 'https://api.drone-missions.example/docs/',
  },
};

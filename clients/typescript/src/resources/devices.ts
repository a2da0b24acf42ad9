import { DroneMissionError, isTemporary } from '../errors.ts';
import { bodyOf, itemsOf, type CallOptions, type Rest } from '../http/rest.ts';
import type { Command, CommandsPage, CommandsQuery, DeviceCapabilities, DeviceControl, NewCommand } from '../types.ts';
import { sleep } from '../waiting.ts';
import type { CreateOptions } from './jobs.ts';

/** Pauses between two reads of a command, in ms: each is twice the one before it. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** How long after `endBefore` a command without an outcome may take to become TIMED_OUT, in ms. */
const MARGIN_MS = 90_000;

/** A command that the service has taken. */
export class SentCommand {
  /**
   * @param command as it was when it was sent
   * @param read reads it again
   */
  constructor(
    readonly command: Command,
    private readonly read: (options: CallOptions) => Promise<Command>,
  ) {}

  /**
   * Waits until the command has ended, by reading it again and again; a service that can't be reached for a while does
   * not end that.
   * @returns the command: DONE, or REFUSED, FAILED, TIMED_OUT (nobody knows whether it was executed) or SUPERSEDED
   * @throws ApiError, ConnectionError, DroneMissionError when it has no outcome long after its time; the reason of the signal
   */
  async outcome(options: CallOptions = {}): Promise<Command> {
    const { requestedAt, endBefore } = this.command;
    // By the service's clock alone: that of this machine may be another.
    const latest = performance.now() + Date.parse(endBefore) - Date.parse(requestedAt) + MARGIN_MS;
    let found = this.command;
    let problem = new DroneMissionError(NO_OUTCOME);
    for (let pauseMs = FIRST_PAUSE_MS; !hasEnded(found); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (performance.now() > latest) throw problem;
      await sleep(pauseMs, options.signal);
      try {
        found = await this.read(options);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof DroneMissionError && isTemporary(error, true))) throw error;
        problem = error;
      }
    }
    return found;
  }
}

const hasEnded = ({ endedAt }: Command): boolean => endedAt !== undefined;

const NO_OUTCOME = 'The command has no outcome although its time is over: read it later with devices.getCommand.';

/** Options of a command. */
export type SendOptions = CreateOptions;

/** A command on its way: what it becomes when the service has taken it, and its outcome without waiting for that before. */
export type SendingCommand = Promise<SentCommand> & Pick<SentCommand, 'outcome'>;

const COMMANDS = '/v3/devices/{deviceId}/commands';
const COMMAND = '/v3/devices/{deviceId}/commands/{commandId}';
const CAPABILITIES = '/v3/devices/{deviceId}/capabilities';
const CONTROL = '/v3/devices/{deviceId}/control';

/** Devices in flight. */
export class Devices {
  constructor(private readonly rest: Rest) {}

  /**
   * Sends a command to a device in flight. That the service has taken it does not mean that it is executed: wait for
   * its `outcome()`. It is sent again after a failure, for ten seconds and with the same key, so that it is executed
   * once.
   * @throws ApiError (409 when the device can't be told that now), ConnectionError, after which it may have been executed
   */
  command(deviceId: string, body: NewCommand, options: SendOptions = {}): SendingCommand {
    const sent = this.#send(deviceId, body, options);
    return Object.assign(sent, { outcome: async (more?: CallOptions) => (await sent).outcome(more) });
  }

  async #send(deviceId: string, body: NewCommand, { idempotencyKey, ...options }: SendOptions): Promise<SentCommand> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const sent = this.rest.POST(COMMANDS, { ...options, body, params: { path: { deviceId }, header } });
    const { command } = await bodyOf(`POST ${COMMANDS}`, sent);
    return new SentCommand(command, (more) => this.getCommand(deviceId, command.commandId, more));
  }

  /** All commands of a device, whoever sent them, newest first, page after page. @throws ApiError, ConnectionError */
  commands(
    deviceId: string,
    query: Omit<CommandsQuery, 'nextToken'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Command, void, undefined> {
    return itemsOf(
      (nextToken) => this.commandsPage(deviceId, { ...query, ...(nextToken !== undefined && { nextToken }) }, options),
      ({ commands }) => commands,
    );
  }

  /**
   * One page of commands; its `nextToken`, if it has one, is what to ask for the next page with.
   * @throws ApiError, ConnectionError
   */
  commandsPage(deviceId: string, query: CommandsQuery = {}, options: CallOptions = {}): Promise<CommandsPage> {
    return bodyOf(`GET ${COMMANDS}`, this.rest.GET(COMMANDS, { ...options, params: { path: { deviceId }, query } }));
  }

  /** A command as it is now. @throws ApiError, ConnectionError */
  async getCommand(deviceId: string, commandId: string, options: CallOptions = {}): Promise<Command> {
    const found = this.rest.GET(COMMAND, { ...options, params: { path: { deviceId, commandId } } });
    return (await bodyOf(`GET ${COMMAND}`, found)).command;
  }

  /** The commands that a device obeys, and its range. @throws ApiError, ConnectionError */
  async capabilities(deviceId: string, options: CallOptions = {}): Promise<DeviceCapabilities> {
    const found = this.rest.GET(CAPABILITIES, { ...options, params: { path: { deviceId } } });
    return (await bodyOf(`GET ${CAPABILITIES}`, found)).capabilities;
  }

  /**
   * Holds the control of a device for a minute: commands of others are refused, but for those that keep it from harm.
   * Call it again before `until` to go on holding it.
   * @throws ApiError (409 when another client holds it), ConnectionError
   */
  async hold(deviceId: string, options: CallOptions = {}): Promise<DeviceControl> {
    const held = this.rest.PUT(CONTROL, { ...options, params: { path: { deviceId } } });
    return (await bodyOf(`PUT ${CONTROL}`, held)).control;
  }

  /** Ends what this client or a viewer holds. @throws ApiError (409 when another client holds it), ConnectionError */
  async release(deviceId: string, options: CallOptions = {}): Promise<void> {
    await bodyOf(`DELETE ${CONTROL}`, this.rest.DELETE(CONTROL, { ...options, params: { path: { deviceId } } }));
  }

  /** Who holds the control of a device; without a holder only its `deviceId`. @throws ApiError, ConnectionError */
  async control(deviceId: string, options: CallOptions = {}): Promise<DeviceControl> {
    const found = this.rest.GET(CONTROL, { ...options, params: { path: { deviceId } } });
    return (await bodyOf(`GET ${CONTROL}`, found)).control;
  }
}

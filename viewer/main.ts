import type { KnownState } from '../domain/telemetry/known-state';
import { createAnnouncer } from './announcer';
import { createBroadcast } from './broadcast';
import { createCharts } from './charts';
import type { Connection, Ending } from './connection';
import { createConnectionView } from './connection-view';
import { createControls } from './controls';
import { createFlight, createKnownDevice, placeOf, type KnownProgress } from './device-state';
import { elapsed, createShareClock } from './clock';
import { element, setText } from './element';
import { showFigures, showOldFigures, showUnits } from './figures';
import { createHistory, type Point } from './history';
import { texts, translatePage } from './locale';
import { HEADING, isOldBeside, POSITION } from './old-values';
import type { FlightInfo, Message, ShareStatus, Telemetry } from './parse-message';
import { part } from './parts';
import { createPositionButton } from './position-button';
import { arrivalText, isOnTheWay } from './shown-progress';
import { theme, units, applyTheme } from './settings';
import { openShareSocket } from './share-socket';
import { createStage } from './stage';
import { createTrackMap } from './track-map';
import { createVideo } from './video';

translatePage();
applyTheme();

/** The page is at `/share/<code>`; the code is used in the socket's URL only. */
const shareCode = location.pathname.split('/')[2] ?? '';
const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/telemetry?shareCode=${shareCode}`;
/** Intervals of redrawing, in ms; a drone may report ten times a second. */
const DRAW_EVERY_MS = 100;
const DRAW_CHARTS_EVERY_MS = 500;
/** What the ids of requests for the flight begin with. */
const FLIGHT = 'flight-';
/** Not all viewers of a silent drone ask at the same time whether it is still there; in ms. */
const ASK_WITHIN_MS = 20_000;
/** After a take-off the service knows its job a moment later than the samples; in ms. */
const ASK_AGAIN_MS = 5000;

const history = createHistory();
const flight = createFlight();
const device = createKnownDevice(flight, history);
const announcer = createAnnouncer(element('announcer', HTMLElement));
const map = part('map', () => createTrackMap(element('map', HTMLElement), element('follow', HTMLButtonElement)));
const drawCharts = createCharts(history);
const clock = createShareClock(elapsed);
const view = createConnectionView(clock);
const stage = createStage();
const video = createVideo({ requestSession: () => socket.send({ action: 'playback' }), now: () => clock.now() });
const broadcast = createBroadcast({ shareCode, onMessage, onFailure: () => socket.withoutBroadcast() });
const controls = createControls((message) => socket.send(message), announcer);

let drawn: KnownState | undefined;
let requests = 0;
/** Where the drone flies to. */
let place: FlightInfo['place'];

view.setNames(texts.title.drone, undefined);
if (!map) setText(element('map', HTMLElement), texts.map.failed);
createPositionButton(() => placeOf(device.state));
theme.bind('theme');
units.bind('units');
units.onChange(() => {
  showUnits();
  drawn = undefined;
  drawCharts();
});
showUnits();

const socket = openShareSocket(address, { onMessage, onConnection: showConnection });
setInterval(draw, DRAW_EVERY_MS);
setInterval(drawCharts, DRAW_CHARTS_EVERY_MS);
element('retry', HTMLButtonElement).addEventListener('click', () => socket.retry());
// The page has started: start.ts has nothing more to say.
element('failure', HTMLElement).remove();

function onMessage(message: Message): void {
  if (message.type === 'device.telemetry') onSample(message);
  else if (message.type === 'share.status') showShare(message);
  else if (message.type === 'share.flight') onFlight(message);
  else if (message.type === 'pong') clock.onPong(message);
  else if (message.type === 'share.playback') video.onPlayback(message);
  else if (message.type === 'control.outcome') controls.onOutcome(message);
  else if (message.id?.startsWith(FLIGHT))
    view.setRemoved(message.type === 'error' && message.code === 'share_not_found');
  else controls.onAnswer(message);
}

/** Asks for names, take-off and track; a server that does not know the action answers with an error, and nothing changes. */
const requestFlight = () => socket.send({ action: 'flight', id: `${FLIGHT}${++requests}` });

function onSample(sample: Telemetry): void {
  const change = device.onMessage(sample);
  if (!change) return;
  const { state, takesOff, isOtherJob, moves, afterGap, isTrackOther } = change;
  clock.onState(state);
  controls.setDroneState(state.droneState);
  if (takesOff) {
    setWay(undefined, []);
    setTimeout(askForPlace, ASK_AGAIN_MS + Math.random() * ASK_AGAIN_MS);
  }
  if (takesOff || isOtherJob) requestFlight();
  if (isTrackOther) map?.setTrack(history.places());
  const here = placeOf(state);
  const heading = state.navigation?.orientation?.heading;
  if (here && moves) map?.move({ ...here, afterGap: afterGap && !isTrackOther, heading });
}

function onFlight(info: FlightInfo): void {
  view.setRemoved(false);
  view.setNames(info.deviceName ?? texts.title.drone, info.jobName);
  flight.onInfo(info);
  history.fill(info.track.map(pointOf), info.takeOff ? Date.parse(info.takeOff.timestamp) / 1000 : -Infinity);
  map?.setTrack(history.places());
  setWay(info.place, info.route ?? []);
  drawn = undefined;
}

function setWay(to: FlightInfo['place'], route: readonly [number, number][]): void {
  place = to;
  const [longitude, latitude] = to?.coordinates ?? [];
  const goal = longitude === undefined || latitude === undefined ? undefined : { longitude, latitude };
  map?.setWay(
    goal,
    route.map(([east, north]) => ({ longitude: east, latitude: north })),
  );
}

/** Asks once more where a flight with a job leads to. */
function askForPlace(): void {
  if (device.progress && !place) requestFlight();
}

function showShare(share: ShareStatus): void {
  const { shareState, currentViewers, maxViewers, shareType, permissions, commands, broadcast: access } = share;
  const isKnown = shareState === 'ACTIVE' && currentViewers !== undefined && maxViewers !== undefined;
  const viewers = isKnown ? texts.figures.viewers(currentViewers, maxViewers) : '–';
  setText(element('viewers', HTMLElement), viewers);
  if (maxViewers !== undefined) view.setPlaces(maxViewers);
  clock.onShare(share);
  if (access) broadcast.follow(access);
  if (shareType === 'STREAM') video.enable();
  if (permissions) controls.permit({ permissions, commands });
}

function showConnection(connection: Connection, ending?: Ending): void {
  controls.setConnection(connection);
  if (connection === 'live') requestFlight();
  else broadcast.stop();
  if (connection === 'ended') {
    video.end();
    stage.end();
  }
  announcer.announce(view.show(connection, ending));
}

function draw(): void {
  const words = view.tick();
  if (words !== undefined) {
    announcer.announce(words);
    setTimeout(requestFlight, Math.random() * ASK_WITHIN_MS);
  }
  const { state } = device;
  if (!state) return;
  const now = clock.now();
  part('old', () => showOldFigures(state, now));
  if (state === drawn) return;
  drawn = state;
  const { takeOffAltitude, inFlight } = flight;
  const progress = inFlight ? device.progress : undefined;
  part('track', () =>
    map?.draw({
      withPlace: inFlight,
      withRoute: isOnTheWay(state.droneState),
      withHeading: !isOldBeside(state, HEADING, POSITION),
    }),
  );
  part('arrival', () => showArrival(progress, state.droneState));
  showFigures(state, { takeOffAltitude, inFlight, now });
  part('announcements', () =>
    announcer.announceFigures(state, {
      now,
      age: clock.isOld() ? clock.age() : undefined,
      distanceLeft: progress?.distanceLeft,
    }),
  );
}

function showArrival(known: KnownProgress | undefined, droneState: string | undefined): void {
  element('estimate', HTMLElement).hidden = !known;
  if (known) setText(element('arrival', HTMLElement), arrivalText(known, place, droneState, clock.now()));
}

function pointOf({ timestamp, coordinates, groundSpeed }: FlightInfo['track'][number]): Point {
  const [longitude, latitude, altitude] = coordinates;
  return {
    at: Date.parse(timestamp) / 1000,
    altitude,
    speed: groundSpeed ?? null,
    place: { longitude, latitude },
    thinned: true,
  };
}

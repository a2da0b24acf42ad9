import { amongOpenJobs } from './among-open-jobs';
import { statusChannels } from './channels';
import { commands } from './commands';
import { contain } from './contain';
import { coldStart } from './cold-start';
import { cost, costCommands, costIdle, costTelemetry } from './cost';
import { dispatch } from './dispatch';
import { docsSite } from './docs-site';
import { engineSoak } from './engine-soak';
import { eventLog } from './event-log';
import { fanOutCeiling } from './fan-out-ceiling';
import type { Measurement } from './support/figure';
import { fleetSoak } from './fleet-soak';
import { isolation } from './isolation';
import { jobTrack } from './job-track';
import { longPolls } from './long-polls';
import { missionReaders, missions } from './missions';
import { openItems, pageAmongMany } from './among-many';
import { platformIntegration } from './platform';
import { reconnectStorm } from './reconnect-storm';
import { requestOverhead } from './request-overhead';
import { restore } from './restore';
import { runBench } from './support/run-bench';
import { sharePage } from './share-page';
import { shareEnds } from './share-ends';
import { startUp } from './start-up';
import { steadyLoad } from './steady-load';
import { stops } from './stops';
import { storeCalls } from './store-calls';
import { telemetry } from './telemetry';
import { warmCpu } from './warm-cpu';
import { wideShare } from './wide-share';

/** All measurements by name, in the order in which they run. */
const measurements: Readonly<Record<string, Measurement>> = {
  'store-calls': storeCalls,
  cost,
  'cost-idle': costIdle,
  'cost-commands': costCommands,
  'cost-telemetry': costTelemetry,
  'start-up': startUp,
  'cold-start': coldStart,
  'warm-cpu': warmCpu,
  'docs-site': docsSite,
  'share-page': sharePage,
  'request-overhead': requestOverhead,
  'engine-soak': engineSoak,
  restore,
  'page-among-many': pageAmongMany,
  'job-track': jobTrack,
  dispatch,
  missions,
  'mission-readers': missionReaders,
  'open-items': openItems,
  'among-open-jobs': amongOpenJobs,
  commands,
  stops,
  'status-channels': statusChannels,
  'event-log': eventLog,
  'long-polls': longPolls,
  'fan-out-ceiling': fanOutCeiling,
  telemetry,
  'share-ends': shareEnds,
  'wide-share': wideShare,
  platform: platformIntegration,
  isolation,
  contain,
  'reconnect-storm': reconnectStorm,
  'steady-load': steadyLoad,
  'fleet-soak': fleetSoak,
};

/** `npm run bench [-- <name>…]` */
void runBench(measurements, process.argv.slice(2));

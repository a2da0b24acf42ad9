/** What the template says, in one file: to synthesise it takes longer than to look at it. */
import './without-code';
import './stack/alarms';
import './stack/change-streams';
import './stack/channel-functions';
import './stack/dashboard';
import './stack/deployment';
import './stack/gateway';
import './stack/life-cycle';
import './stack/marks';
import './stack/names';
import './stack/operations';
import './stack/platform-talk';
import './stack/recursive-loops';
import './stack/routes';
import './stack/sockets';
import './stack/topics';
import './stack/web-rate-limit';

/** Topics and topic filters: AWS IoT Core developer guide, "MQTT topics", and AWS IoT Core quotas, "Message broker". */

/** Longest topic or filter, in bytes of UTF-8. */
const MAX_TOPIC_BYTES = 256;
/** Most forward slashes in a topic or filter. */
const MAX_SLASHES = 7;

/** Topics that begin with `$` are reserved by AWS; clients can use none of them on this machine. */
export function isReserved(topicOrFilter: string): boolean {
  return topicOrFilter.startsWith('$');
}

/** Whether a topic can't be published to, whatever the policies allow. */
export function isInvalidTopic(topic: string): boolean {
  return topic === '' || /[+#\0]/.test(topic) || isReserved(topic) || isTooLarge(topic);
}

/** Whether a topic or filter exceeds AWS's quotas. */
export function isTooLarge(topicOrFilter: string): boolean {
  return Buffer.byteLength(topicOrFilter) > MAX_TOPIC_BYTES || topicOrFilter.split('/').length - 1 > MAX_SLASHES;
}

/**
 * Whether a topic matches a filter. `#` matches one level or more, so `a/#` does not match `a`, unlike in MQTT 3.1.1 ("AWS
 * IoT differences from MQTT specifications"). A leading wildcard never matches a reserved topic.
 */
export function topicMatches(filter: string, topic: string): boolean {
  if (isReserved(topic) && !isReserved(filter)) return false;
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (const [index, level] of wanted.entries()) {
    if (index >= levels.length) return false;
    if (level === '#') return true;
    if (level !== '+' && level !== levels[index]) return false;
  }
  return wanted.length === levels.length;
}

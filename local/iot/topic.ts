/** Topics and topic filters: AWS IoT Core developer guide, "MQTT topics", and AWS IoT Core quotas, "Message broker". */

/** Longest topic or filter, in bytes of UTF-8. */
const MAX_TOPIC_BYTES = 256;
/** Most forward slashes in a topic or filter. */
const MAX_SLASHES = 7;

/** Topics that begin so belong to AWS; clients get at none of them on this machine. */
export function isReserved(topicOrFilter: string): boolean {
  return topicOrFilter.startsWith('$');
}

/** Whether nothing can be published on this topic, whatever the policies say. */
export function isBadTopic(topic: string): boolean {
  return topic === '' || /[+#\0]/.test(topic) || isReserved(topic) || isTooLarge(topic);
}

/** Whether a topic or filter is beyond what AWS takes. */
export function isTooLarge(topicOrFilter: string): boolean {
  return Buffer.byteLength(topicOrFilter) > MAX_TOPIC_BYTES || topicOrFilter.split('/').length - 1 > MAX_SLASHES;
}

/**
 * Whether a topic fits a filter. `#` stands for one level or more, so `a/#` does not match `a`: there AWS differs from
 * MQTT 3.1.1 ("AWS IoT differences from MQTT specifications"). A leading wildcard never matches a reserved topic.
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

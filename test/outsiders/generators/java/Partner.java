import org.openapitools.client.ApiClient;
import org.openapitools.client.model.*;

/**
 * Reads a page of the feed as a later service may send it: an unknown type, an unknown value of an open list, an
 * unknown field.
 */
public final class Partner {
  private static final String COMMON =
      "\"cursor\":\"event-7k2m9qx4-00000000c5\",\"sequence\":3,\"timestamp\":\"2026-11-27T10:30:15.123Z\"";

  private static String kindOf(String event) throws Exception {
    String page = "{\"success\":true,\"count\":1,\"cursor\":\"event-7k2m9qx4-00000000c5\",\"events\":[{" + COMMON + "," + event + "}]}";
    Event read = new ApiClient().getObjectMapper().readValue(page, ListEventsReply.class).getEvents().get(0);
    return read.getActualInstance().getClass().getSimpleName();
  }

  private static void expect(String kind, String event) throws Exception {
    String found = kindOf(event);
    if (!found.equals(kind)) throw new AssertionError(event + " is read as " + found);
  }

  public static void main(String[] arguments) throws Exception {
    String device = "\"type\":\"device.status\",\"deviceId\":\"d\",\"deviceGroupId\":\"g\",\"status\":\"online\"";
    expect("DeviceEvent", device);
    expect("DeviceEvent", device + ",\"droneState\":\"AVOIDING\"");
    expect("DeviceEvent", device + ",\"mood\":\"good\"");
    expect("JobEvent", "\"type\":\"job.status\",\"jobId\":\"j\",\"deviceGroupId\":\"g\",\"jobState\":\"FAILED\",\"reason\":\"NEW\"");
    expect("ShareEvent", "\"type\":\"share.status\",\"shareCode\":\"s\",\"shareState\":\"ACTIVE\",\"currentViewers\":1,\"maxViewers\":2,\"expiresAt\":\"2026-11-27T10:30:15.123Z\"");
    expect("UnknownEvent", "\"type\":\"dock.status\",\"dockId\":\"k\"");
  }
}

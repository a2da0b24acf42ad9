import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;

/** DynamoDB Local in memory on a port of 127.0.0.1 alone; its own command listens on every address. */
public class Loopback {
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[0]);
    var requests = new LocalDynamoDBRequestHandler(0, true, null, true, false);
    var handler = new LocalDynamoDBServerHandler(requests, null);
    var server = new Server(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    server.setHandler(new DynamoDBProxyServer(port, handler).setUpHandler(handler));
    server.start();
    // Whoever started it closes its input when it ends, however it ends.
    while (System.in.read() >= 0) {}
    server.stop();
    System.exit(0);
  }
}

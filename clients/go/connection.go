package dronemission

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// pongWithin is how long a ping waits for its answer.
	pongWithin = 10 * time.Second
	// replaceAfter: API Gateway closes a connection after two hours.
	replaceAfter = 110 * time.Minute
	// maxMessage is the largest message of the service.
	maxMessage = 128 * 1024
	// renewalID: no other message of a socket has it as its id.
	renewalID = "renewal"
)

// serviceMessages are answers, warnings and signs of life, which are no messages about a resource.
var serviceMessages = []string{"heartbeat", "pong", "expiring", "subscribed", "snapshot.end", ""}

// errDue says that a connection is to be replaced, since its token or its time ends.
var errDue = errors.New("the connection is to be replaced")

// A connection to a channel is open until closed is closed.
type connection struct {
	socket *websocket.Conn
	// confirmed is closed with the first message about the resource, or when there is none to be sent after a cursor.
	confirmed chan struct{}
	confirm   func()
	heard     chan struct{}
	renewed   chan envelope
	// closed is closed after err has been set: what the service said when it closed the connection, or what broke it.
	closed chan struct{}
	err    error
}

// connect opens a channel with a token that is valid for a while, and passes its messages to received.
func (c *channels) connect(ctx context.Context, to channel, received *received, after string) (*connection, accessToken, error) {
	token, err := c.tokens.get(ctx)
	if err != nil {
		return nil, token, err
	}
	address := c.wsURL + to.path
	if after != "" {
		address += "?after=" + url.QueryEscape(after)
	}
	dialling, cancel := context.WithTimeout(ctx, c.answerWithin)
	defer cancel()
	header := http.Header{"Authorization": {"Bearer " + token.text}}
	socket, response, err := websocket.Dial(dialling, address, &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: header})
	if err != nil {
		if response == nil || response.StatusCode == http.StatusSwitchingProtocols {
			return nil, token, &ConnectionError{Address: c.wsURL, NotSent: true, Err: err}
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode == http.StatusUnauthorized {
			c.tokens.forget(token.text)
		}
		return nil, token, refusal(to.subject, response.StatusCode, response.Header, body)
	}
	socket.SetReadLimit(maxMessage)
	opened := &connection{
		socket: socket, confirmed: make(chan struct{}), heard: make(chan struct{}, 1),
		renewed: make(chan envelope, 1), closed: make(chan struct{}),
	}
	opened.confirm = sync.OnceFunc(func() { close(opened.confirmed) })
	startsAgain := after == "" && received.resumeAfter() != ""
	go opened.read(to, received, startsAgain)
	go opened.watch(c.pingAfter)
	if to.greeting != nil {
		if err := opened.say(to.greeting); err != nil {
			opened.close()
			return nil, token, &ConnectionError{Address: c.wsURL, Err: err}
		}
	}
	return opened, token, nil
}

// close ends the connection and waits until no more messages come from it.
func (c *connection) close() {
	// Without a handshake: a peer that is gone must not keep its caller waiting.
	_ = c.socket.CloseNow()
	<-c.closed
}

// read passes the messages on until the connection has closed.
func (c *connection) read(to channel, received *received, startsAgain bool) {
	defer close(c.closed)
	for {
		_, text, err := c.socket.Read(context.Background())
		if err != nil {
			c.err = &ConnectionError{Address: to.subject, Err: err}
			return
		}
		select {
		case c.heard <- struct{}{}:
		default:
		}
		var message envelope
		// What is no JSON object counts as a sign of life.
		_ = json.Unmarshal(text, &message)
		message.text = text
		switch {
		case message.ID == renewalID:
			select {
			case c.renewed <- message:
			default:
			}
		case message.ID != nil && to.answers != nil:
			select {
			case to.answers <- message:
			default:
			}
		case message.Type == "error":
			c.err = message.refusal(to.subject)
			_ = c.socket.CloseNow()
			return
		case slices.Contains(serviceMessages, message.Type):
		case message.Type == "gap":
			startsAgain = true
		default:
			c.confirm()
			if message.Type == "resumed" {
				continue
			}
			if startsAgain {
				received.startAgain()
				startsAgain = false
			}
			for _, each := range message.single() {
				received.receive(each)
			}
		}
	}
}

// watch closes a connection that is open but dead: a lost network, a laptop that slept. The service sends a heartbeat only every four
// minutes; a ping is answered at once.
func (c *connection) watch(pingAfter time.Duration) {
	timer := time.NewTimer(pingAfter)
	defer timer.Stop()
	isAsked := false
	for {
		select {
		case <-c.closed:
			return
		case <-c.heard:
			isAsked = false
			timer.Reset(pingAfter)
		case <-timer.C:
			if isAsked {
				_ = c.socket.CloseNow()
				return
			}
			isAsked = true
			timer.Reset(min(pongWithin, pingAfter))
			_ = c.say(map[string]string{"action": "ping"})
		}
	}
}

func (c *connection) say(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pongWithin)
	defer cancel()
	return c.socket.Write(ctx, websocket.MessageText, text)
}

// last waits until the connection has closed, or is to be replaced: errDue. It goes on with new tokens as long as the service takes them.
func (c *connection) last(ctx context.Context, tokens *tokenSource, token accessToken, answerWithin time.Duration) error {
	replaceAt := time.Now().Add(replaceAfter)
	for {
		due := token.renewAt
		if replaceAt.Before(due) {
			due = replaceAt
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.closed:
			return c.err
		case <-time.After(time.Until(due)):
		}
		next, err := tokens.get(ctx)
		isReplaced := !time.Now().Before(replaceAt) || err != nil
		if isReplaced || next.text != token.text && !c.renew(ctx, tokens, next, answerWithin) || !time.Now().Before(next.renewAt) {
			return errDue
		}
		token = next
	}
}

// renew says whether the connection goes on with a new token.
func (c *connection) renew(ctx context.Context, tokens *tokenSource, token accessToken, within time.Duration) bool {
	if c.say(map[string]string{"action": "authenticate", "token": token.text, "id": renewalID}) != nil {
		return false
	}
	select {
	case answered := <-c.renewed:
		if answered.Code == "unauthorized" {
			tokens.forget(token.text)
		}
		return answered.Type == "authenticated" && !answered.SubscriptionsEnded
	case <-time.After(within):
	case <-ctx.Done():
	case <-c.closed:
	}
	return false
}

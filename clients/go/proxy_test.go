package dronemission_test

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// A proxy stands before a server, and disturbs its connections.
type proxy struct {
	// url is the server's, at the proxy.
	url      string
	listener net.Listener
	target   string
	// opened has a sign for each connection, up to as many as a test may wait for.
	opened chan struct{}

	mutex              sync.Mutex
	isCut, isStalled   bool
	connections        []net.Conn
	copying, accepting sync.WaitGroup
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: address.Host, opened: make(chan struct{}, 100)}
	address.Host = listener.Addr().String()
	p.url = address.String()
	p.accepting.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.accepting.Wait()
		p.cut()
		p.copying.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mutex.Lock()
		isCut := p.isCut
		p.mutex.Unlock()
		if isCut {
			_ = near.Close()
			continue
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.mutex.Lock()
		p.connections = append(p.connections, near, far)
		p.mutex.Unlock()
		select {
		case p.opened <- struct{}{}:
		default:
		}
		p.copying.Go(func() { p.copy(far, near) })
		p.copying.Go(func() { p.copy(near, far) })
	}
}

func (p *proxy) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32*1024)
	for {
		count, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.mutex.Lock()
		isStalled := p.isStalled
		p.mutex.Unlock()
		if isStalled {
			continue
		}
		if _, err := to.Write(buffer[:count]); err != nil {
			return
		}
	}
}

// cut closes all connections, and refuses others.
func (p *proxy) cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isCut = true
	for _, connection := range p.connections {
		_ = connection.Close()
	}
	p.connections = nil
}

// stall leaves all connections open, and passes nothing on.
func (p *proxy) stall() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isStalled = true
}

// mend lets connections pass again.
func (p *proxy) mend() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isCut, p.isStalled = false, false
}

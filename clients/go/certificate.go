package dronemission

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

// idleWithin: net/http's own client, too, closes a connection that it has not used for so long.
const idleWithin = 90 * time.Second

// isCertificate says whether a connection failed since the certificate of the server is not trusted, which no other
// attempt changes.
func isCertificate(err error) bool {
	var refused *tls.CertificateVerificationError
	return errors.As(err, &refused)
}

// httpClientOf returns the client that the options name, or one that trusts the authority in CAFile too.
func httpClientOf(options Options) (*http.Client, error) {
	switch {
	case options.CAFile == "" && options.HTTPClient == nil:
		return http.DefaultClient, nil
	case options.CAFile == "":
		return options.HTTPClient, nil
	case options.HTTPClient != nil:
		return nil, errors.New("CAFile is for a client without HTTPClient, whose transport says what it trusts")
	}
	authorities, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(options.CAFile)
	if err != nil {
		return nil, fmt.Errorf("CAFile can't be used: %w", err)
	}
	if !authorities.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("CAFile %s can't be used: it must be a PEM file with a certificate", options.CAFile)
	}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: idleWithin, TLSClientConfig: &tls.Config{RootCAs: authorities},
	}}, nil
}

package dronemission

import (
	"crypto/tls"
	"errors"
)

// isCertificate says whether a connection failed since the certificate of the server is not trusted, which no other attempt changes.
func isCertificate(err error) bool {
	var refused *tls.CertificateVerificationError
	return errors.As(err, &refused)
}

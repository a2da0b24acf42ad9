package dronemission

// Must returns the value, or panics with the error, whose text is one line. It is for short programs that an error ends:
//
//	client := dronemission.Must(dronemission.FromEnvironment())
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

package dronemission

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

func TestTheReadmeListsEverythingThatTheClientOffers(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	name := regexp.MustCompile("`(\\w+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` +\\|(.*)\\|$").FindAllStringSubmatch(string(readme), -1) {
		methods := []string{}
		for _, found := range name.FindAllStringSubmatch(row[2], -1) {
			methods = append(methods, found[1])
		}
		slices.Sort(methods)
		listed[row[1]] = methods
	}
	client := reflect.TypeOf(&Client{})
	offered := map[string][]string{}
	for _, method := range methodsOf(client) {
		offered[method] = []string{}
	}
	for index := range client.Elem().NumField() {
		if field := client.Elem().Field(index); field.IsExported() {
			offered[field.Name] = methodsOf(field.Type)
		}
	}
	if !reflect.DeepEqual(listed, offered) {
		t.Errorf("the README lists %v, and the client offers %v", listed, offered)
	}
}

func TestTheReadmeNamesWhatAViewerMayDo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range methodsOf(reflect.TypeOf(&ShareView{})) {
		if !regexp.MustCompile("`" + method + "`|view\\." + method + "\\(").Match(readme) {
			t.Errorf("the README does not name %s", method)
		}
	}
}

func methodsOf(of reflect.Type) []string {
	var names []string
	for index := range of.NumMethod() {
		names = append(names, of.Method(index).Name)
	}
	return names
}

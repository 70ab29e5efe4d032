"""What stands in HTML, read by a parser that asks for elements in balance."""

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "link", "input", "wbr"}


class Page(HTMLParser):
    """A page whose elements are checked to nest; its tables, pictures and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.found, self.texts, self.captions, self.raw = [], [], [], {}, ""
        self.bold = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "caption":
            self.rows = []
        if tag == "tr":
            self.row = []
        if tag in ("th", "td"):
            self.row.append("")
        if tag == "dt":
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.rows.append(self.row)

    def handle_data(self, text):
        self.raw += text
        if "caption" in self.open:
            self.captions[text] = self.rows
        elif {"th", "td"} & set(self.open):
            self.row[-1] += text
        if self.open[-2:] == ["b", "bdi"]:
            self.bold.append(text)
        if text.strip() and "style" not in self.open:
            self.texts.append(text.strip())

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]

    @property
    def text(self):
        return " ".join(self.texts)

    def fact(self, name):
        """Value and note of one of the facts on top."""
        at = self.texts.index(name)
        return self.texts[at + 1], self.texts[at + 2]

    def cards(self):
        """Name of each card, in order."""
        return [each["alt"].split(":")[0] for each in self.all("img") if "width" in each]

    def names(self):
        """Name of each pair that is listed, in order."""
        return self.bold

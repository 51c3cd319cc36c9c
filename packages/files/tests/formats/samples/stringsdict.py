"""Samples of Apple's strings with plural forms."""

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
"""

SAMPLES = {
    "Localizable.stringsdict": HEAD
    + """<dict>
	<!-- How many files -->
	<key>%d files copied</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>Your %1$@ folder has %2$#@files@ now.</string>
		<key>files</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>d</string>
			<key>zero</key>
			<string>no files &amp; folders</string>
			<key>one</key>
			<string>%d file</string>
			<key>other</key>
			<string>%d files</string>
		</dict>
	</dict>
	<key>again</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%#@files@</string>
		<key>files</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>other</key>
			<string>%lu pages of %lu are here</string>
		</dict>
	</dict>
	<key>tap</key>
	<dict>
		<key>NSStringDeviceSpecificRuleType</key>
		<dict>
			<key>iphone</key><string>Tap the button</string>
			<key>mac</key><string>Click the button</string>
			<key>other</key><string>Click the button</string>
		</dict>
	</dict>
</dict>
</plist>
""",
}  # fmt: skip

HOSTILE = {
    "deep.stringsdict": HEAD + "<dict><key>a</key>" * 100_000,
    "binary.stringsdict": b"bplist00\xd1\x01\x02",
    "other.stringsdict": "<resources><string>a b</string></resources>",
    "odd.stringsdict": "<plist><dict><string>one two</string><key>a</key></dict></plist>",
    "keys.stringsdict": "<plist><dict><key>a</key><key>b</key><string>one two</string></dict>"
    "</plist>",
    "list.stringsdict": "<plist><array><string>one two</string></array></plist>",
    "twice.stringsdict": HEAD + "<dict><key>a</key><dict><key>NSStringFormatSpecTypeKey</key>"
    "<string>NSStringPluralRuleType</string><key>other</key><string>one %d</string>"
    "<key>other</key><string>two %d</string></dict></dict></plist>",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many strings."""
    one = (
        "<key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>The %#@n@ folder</string>"
        "<key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType"
        "</string><key>other</key><string>%d files</string></dict></dict>\n"
    )
    return "long.stringsdict", f"<plist><dict>{one * paragraphs}</dict></plist>"

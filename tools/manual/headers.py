"""Pages of all declarations in the public headers, from Doxygen's XML."""

import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

OPTIONS = """
INPUT = {headers}
OUTPUT_DIRECTORY = {out}
STRIP_FROM_PATH = {headers}
FILE_PATTERNS = *.hpp *.h
RECURSIVE = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
HIDE_FRIEND_COMPOUNDS = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = SWIRL_API= __cplusplus
EXCLUDE_SYMBOLS = swirl::detail swirl::detail::* swirl::api swirl::api::* swirl::planning swirl::planning::*
AUTOLINK_SUPPORT = NO
QUIET = YES
WARNINGS = NO
"""


def c_comments_for_doxygen(text):
    """Comments of the C header, /* … */, as Doxygen's: before a declaration, or behind one on its line."""
    text = re.sub(r"\A/\*.*?\*/\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^/\* -{4}.*?\*/$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^( *)/\* ", r"\1/** ", text, flags=re.MULTILINE)
    return re.sub(r"(?<=\S)( +)/\* ", r"\1/**< ", text)


def xml_of(headers, work):
    """Runs Doxygen on copies of the headers; returns the folder of its XML."""
    copies = work / "headers"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(headers, copies / "swirl")
    c_header = copies / "swirl" / "swirl.h"
    c_header.write_text(c_comments_for_doxygen(c_header.read_text()))
    options = work / "Doxyfile"
    options.write_text(OPTIONS.format(headers=copies, out=work))
    subprocess.run(["doxygen", str(options)], check=True)
    return work / "xml"


def escaped(text):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")
    return re.sub(r"([\\`*_\[\]#])", r"\\\1", text)


def markdown(node):
    """A description as Markdown."""
    if node is None:
        return ""
    parts = [escaped(node.text or "")] if node.tag not in ("verbatim", "programlisting", "computeroutput") else []
    if node.tag in ("verbatim", "preformatted"):
        parts.append("\n\n```text\n" + (node.text or "").strip("\n") + "\n```\n\n")
    elif node.tag == "programlisting":
        parts.append("\n\n```cpp\n" + "\n".join("".join(_plain(line)) for line in node) + "\n```\n\n")
        return "".join(parts)
    elif node.tag == "computeroutput":
        return "`" + "".join(node.itertext()) + "`"
    for child in node:
        inner = markdown(child)
        if child.tag == "para":
            inner += "\n\n"
        elif child.tag == "listitem":
            inner = "- " + inner.strip().replace("\n", "\n    ") + "\n"
        elif child.tag == "itemizedlist":
            inner = "\n\n" + inner + "\n"
        elif child.tag in ("sup", "superscript"):
            inner = "<sup>" + inner + "</sup>"
        parts.append(inner)
        parts.append(escaped(child.tail or ""))
    return "".join(parts)


def _plain(line):
    """The text of a line of code: <sp/> is a blank."""
    if line.tag == "sp":
        yield " "
    if line.text:
        yield line.text
    for child in line:
        yield from _plain(child)
        if child.tail:
            yield child.tail


def description(node):
    text = markdown(node.find("briefdescription")) + "\n\n" + markdown(node.find("detaileddescription"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def text_of(node):
    return "".join(node.itertext()).strip() if node is not None else ""


def declaration(member):
    """One declaration as C++ text."""
    kind = member.get("kind")
    if kind == "enum":
        strong = "enum class" if member.get("strong") == "yes" else "enum"
        base = text_of(member.find("type"))
        lines = [f"{strong} {text_of(member.find('name'))}{' : ' + base if base else ''} {{"]
        for value in member.findall("enumvalue"):
            line = f"    {text_of(value.find('name'))}{' ' + text_of(value.find('initializer')) if value.find('initializer') is not None else ''},"
            note = " ".join((text_of(value.find("briefdescription")) + " " + text_of(value.find("detaileddescription"))).split())
            lines.append(line + (f"  // {note}" if note else ""))
        return "\n".join(lines + ["};"])
    prefix = ""
    parameters = member.find("templateparamlist")
    if parameters is not None:
        # Conditions on types are details.
        parameters = [p for p in parameters if not re.search(r"detail::|enable_if", text_of(p.find("type")))]
        texts = [" ".join(filter(None, (text_of(p.find("type")), text_of(p.find("declname")),
                                         "= " + text_of(p.find("defval")) if p.find("defval") is not None else "")))
                 for p in parameters]
        prefix = f"template <{', '.join(texts)}> "
    if member.get("static") == "yes":
        prefix += "static "
    if kind == "define":
        return "#define " + text_of(member.find("name"))
    body = text_of(member.find("definition")) if kind in ("typedef", "variable") else \
        (text_of(member.find("type")) + " " + text_of(member.find("name"))).strip() + text_of(member.find("argsstring"))
    if kind == "variable":
        body = (text_of(member.find("type")) + " " + text_of(member.find("name")) + text_of(member.find("argsstring")))
        if member.find("initializer") is not None and len(text_of(member.find("initializer"))) < 60:
            body += " " + text_of(member.find("initializer"))
    return prefix + body + ";"


def is_shown(member):
    name = text_of(member.find("name"))
    return member.get("prot") in ("public", None) and not name.startswith("@") and member.get("kind") != "friend" or \
        member.get("kind") == "friend" and "operator" not in name and "struct" not in text_of(member.find("type"))


def is_for_the_library(node):
    return "library's own use" in description(node) or re.match(r"(const |constexpr )*\w*detail::", declaration(node))


def members_page(nodes):
    """Declarations in the order of the header. One without a description belongs to the one before it; a short description
    is a comment behind its declaration."""
    blocks = []  # [declarations, description]
    names = {text_of(node.find("name")) for node in nodes if node.get("kind") != "typedef"}
    for node in nodes:
        if is_for_the_library(node) or node.get("kind") == "typedef" and text_of(node.find("name")) in names:
            continue
        text, code = description(node), declaration(node)
        note = " ".join((text_of(node.find("briefdescription")) + " " + text_of(node.find("detaileddescription"))).split())
        is_short = "\n" not in code and len(note) < 70 and not text.startswith("```") and node.get("kind") != "enum"
        if blocks and (not text and node.get("kind") != "enum" or is_short and (blocks[-1][2] or not blocks[-1][1])):
            blocks[-1][0].append(code + (f"  // {note}" if text else ""))
        else:
            blocks.append([[code + (f"  // {note}" if text and is_short else "")], "" if is_short else text, is_short])
    return "\n".join("```cpp\n" + "\n".join(codes) + "\n```\n" + (f"\n{text}\n" if text else "") for codes, text, _ in blocks)


def check_complete(headers, suffix, text):
    """Whatever the library exports must be on the page, but for operators."""
    for header in headers.rglob("*" + suffix):
        exported = re.findall(r"SWIRL_API (?!friend)[^;{]*?(\w+)(?:\(| \{| final| :)", header.read_text())
        missing = [name for name in exported if name != "__attribute__" and name not in text]
        if missing:
            raise SystemExit(f"manual: {header.name} declares {', '.join(missing)}, which Doxygen's output lacks")


def pages(headers, work):
    """Text of the page of C++ and of that of C, each with a section for a header."""
    xml = xml_of(headers, work)
    found = {}  # header -> [(line, heading or none, the class, its members)]
    for file in sorted(xml.glob("*.xml")):
        if file.name in ("index.xml", "Doxyfile.xml"):
            continue
        for compound in ElementTree.parse(file).getroot().findall("compounddef"):
            kind, name = compound.get("kind"), text_of(compound.find("compoundname"))
            if kind in ("dir", "page") or "detail" in name or "::api" in name or "::planning" in name:
                continue
            members = [m for m in compound.iter("memberdef") if is_shown(m)]
            if kind in ("class", "struct"):
                location = compound.find("location")
                if compound.get("prot") == "private":
                    continue
                members = sorted((m for m in members if m.get("prot") == "public"), key=lambda m: int(m.find("location").get("line")))
                found.setdefault(location.get("file"), []).append(
                    (int(location.get("line")), f"{kind} {name.removeprefix('swirl::')}", compound, members))
            else:
                for member in members:
                    location = member.find("location")
                    if location is None or kind == "namespace" and location.get("file", "").endswith(".h"):
                        continue
                    if kind == "file" and location.get("file", "").endswith(".hpp") and member.get("kind") != "define":
                        continue
                    found.setdefault(location.get("file"), []).append((int(location.get("line")), None, None, [member]))
    texts = {"cpp": [], "c": []}
    for header in sorted(found, key=lambda h: (h.count("/"), pathlib.Path(h).name)):
        name = header.removeprefix("swirl/")
        if name in ("export.h",):
            continue
        source = (headers / name).read_text()
        out = [f"## `swirl/{name}`\n"]
        first = re.match(r"(?:///.*\n)+|/\*(?:.|\n)*?\*/", source)
        if first:
            lines = [re.sub(r"^(///| \*/|/\*| \*) ?", "", line).removesuffix(" */") for line in first.group(0).splitlines()]
            out.append("\n".join(lines) + "\n")
        run = []
        for line, heading, compound, members in sorted(found[header], key=lambda entry: entry[0]):
            if heading is None:
                run += members
                continue
            if run:
                out.append(members_page(run))
                run = []
            about = description(compound)
            kind, title = heading.split(" ", 1)
            out.append(f"### {kind} `{title}`\n\n{about}\n\n" + members_page(members))
        if run:
            out.append(members_page(run))
        texts["cpp" if name.endswith(".hpp") else "c"].append("\n".join(out))
    for language, lines in texts.items():
        check_complete(headers, ".hpp" if language == "cpp" else ".h", "\n".join(lines))
    head = "All public declarations, from the headers' comments. The text about them: [{0}]({1}).\n\n"
    return ("# C++ headers\n\n" + head.format("the C++ interface", "../cpp-api.md") + "\n".join(texts["cpp"]),
            "# C header\n\n" + head.format("the C interface", "../c-api.md") + "\n".join(texts["c"]))

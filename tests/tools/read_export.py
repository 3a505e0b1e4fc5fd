"""Reads what hearsay exports with readers of other people, and prints what it found: "name count" lines.

    read_export.py graphml FILE | cytoscape FILE SCHEMA | prov-json FILE | csv DIR | svg FILE

Ends with 77 where the reader is not installed. Names are those of docs/formats.md, and:
dangling: ends of links that no node has. false: claims that are false where they were made.
"""
import collections
import json
import sys


def count_graph(graph, kind_of_link):
    counts = collections.Counter()
    for _, data in graph.nodes(data=True):
        kind = data.get("kind")
        if kind is None:
            counts["dangling"] += 1
        else:
            counts[kind] += 1
        counts["false"] += data.get("truth") == "false"
        counts["hedged"] += data.get("hedged", False) is True
    for _, _, data in graph.edges(data=True):
        counts[data[kind_of_link]] += 1
        counts["costly"] += "cost_doublings" in data
    return counts


def read_graphml(path):
    import networkx
    return count_graph(networkx.read_graphml(path), "kind")


def read_cytoscape(path, schema_path):
    import jsonschema
    import networkx
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    with open(schema_path, encoding="utf-8") as file:
        jsonschema.validate(content, json.load(file))
    ids = [e["data"]["id"] for group in content["elements"].values() for e in group]
    if len(ids) != len(set(ids)):
        raise ValueError("two elements have one id")
    return count_graph(networkx.cytoscape_graph(content), "interaction")


def only(record, name):
    values = [value for key, value in record.attributes if str(key) == name]
    return values[0] if values else None


def read_prov(path):
    from prov import model
    document = model.ProvDocument.deserialize(path)
    counts = collections.Counter()
    declared, named = set(), set()
    for bundle in list(document.bundles) + [document]:
        counts["bundle"] += bundle is not document
        for record in bundle.get_records():
            kind = str(only(record, "prov:type"))
            if record.is_element():
                declared.add(str(record.identifier))
            else:
                named.update(str(value) for key, value in record.formal_attributes if value)
            if isinstance(record, model.ProvEntity):
                counts["claim"] += kind == "hs:Claim"
                counts["note"] += kind == "prov:Collection"
                counts["false"] += only(record, "hs:truth") == "false"
                counts["hedged"] += str(only(record, "hs:hedged")) in ("1", "True", "true")
            elif isinstance(record, model.ProvActivity):
                counts["attempt"] += 1
            elif isinstance(record, model.ProvAgent):
                counts["agent"] += 1
            elif isinstance(record, model.ProvGeneration):
                counts["wrote"] += only(record, "hs:change") is not None
            elif isinstance(record, model.ProvDerivation):
                counts["copied" if kind == "prov:Quotation" else only(record, "hs:change")] += 1
            elif isinstance(record, model.ProvUsage):
                counts[str(only(record, "prov:role"))] += 1
            elif isinstance(record, model.ProvInvalidation):
                counts["refuted"] += 1
            elif isinstance(record, model.ProvCommunication):
                counts["source"] += 1
            elif isinstance(record, model.ProvMembership):
                counts["member"] += 1
            elif isinstance(record, model.ProvAssociation):
                counts["association"] += 1
            else:
                raise ValueError(f"unexpected {record}")
    counts["dangling"] += len(named - declared)
    # It must also be PROV for those who read it in another notation.
    document.serialize(format="provn")
    return counts


def read_csv(directory):
    import csv
    counts = collections.Counter()
    ids = set()
    with open(f"{directory}/nodes.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            ids.add(row["id"])
            counts[row["kind"]] += 1
            counts["false"] += row["truth"] == "false"
            counts["hedged"] += row["hedged"] == "true"
    with open(f"{directory}/edges.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            counts[row["kind"]] += 1
            counts["costly"] += row["cost_doublings"] != ""
            counts["dangling"] += (row["source"] not in ids) + (row["target"] not in ids)
    return counts


def read_svg(path):
    import xml.etree.ElementTree as tree
    counts = collections.Counter()
    ids, links = set(), set()
    for group in tree.parse(path).iter("{http://www.w3.org/2000/svg}g"):
        ids.add(group.get("id"))
        if group.get("class") not in ("node", "edge"):
            continue
        link = group.find(".//{http://www.w3.org/2000/svg}a")
        if link is None:  # of the axis, or a mark
            continue
        counts[group.get("class")] += 1
        counts["tooltip"] += len(link.get("{http://www.w3.org/1999/xlink}title")) > 20
        links.add(link.get("{http://www.w3.org/1999/xlink}href"))
    counts["dangling"] = len({link[1:] for link in links} - ids)
    return counts


READERS = {"svg": read_svg, "graphml": read_graphml, "cytoscape": read_cytoscape, "prov-json": read_prov, "csv": read_csv}

if __name__ == "__main__":
    try:
        found = READERS[sys.argv[1]](*sys.argv[2:])
    except ModuleNotFoundError as missing:
        print(missing, file=sys.stderr)
        sys.exit(77)
    for name, count in sorted(found.items()):
        print(name, count)

"""Three questions to a data set, answered by DuckDB: ``questions.py rows.parquet``."""

from __future__ import annotations

import sys

QUESTIONS = {
    "How many models and triangles are there of each format?": """
        SELECT format, version, count(*) AS models, sum(triangles) AS triangles, median(bones) AS bones
        FROM rows WHERE error IS NULL AND triangles > 0
        GROUP BY ALL ORDER BY models DESC, format, version
    """,
    "Which rules are broken most, and in how many files?": """
        SELECT entry.key AS rule, count(*) AS files, sum(entry.value) AS findings
        FROM (SELECT unnest(map_entries(findings)) AS entry FROM rows)
        GROUP BY ALL ORDER BY files DESC, rule LIMIT 10
    """,
    "Which animated models of less than 2,000 triangles have a way to walk, and no errors?": """
        SELECT path, triangles, len(clips) AS clips, glb
        FROM rows WHERE errors = 0 AND triangles < 2000 AND contains(lower(array_to_string(clips, ' ')), 'walk')
        ORDER BY triangles, path LIMIT 10
    """,
}


def answers(parquet: str) -> dict[str, list[tuple[object, ...]]]:
    """Returns the rows of each answer."""
    import duckdb

    base = duckdb.connect()
    base.from_parquet(parquet).create_view("rows")
    return {question: base.execute(query).fetchall() for question, query in QUESTIONS.items()}


def main() -> None:
    """Prints questions and answers."""
    for question, rows in answers(sys.argv[1]).items():
        print(question)
        for row in rows:
            print("  " + "  ".join(str(value) for value in row))


if __name__ == "__main__":
    main()

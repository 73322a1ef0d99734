import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Prints what a reader of the service has to keep in mind: lines, types, beans and their dependencies, tables, columns, words of the
 * documents. Usage: {@code java scripts/Size.java [folder of the project]}
 *
 * <p>Sources are parsed, not compiled. Tables, indexes and views are counted in the text of the migrations.
 */
class Size {
  private static final Set<String> SCOPES = Set.of("ApplicationScoped", "Singleton", "RequestScoped", "Dependent", "Path", "Provider");
  private static final Pattern TABLE = Pattern.compile("^create table (\\w+) \\(\\n(.*?)^\\)", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern COLUMN = Pattern.compile("^ {2}(?!constraint |primary key|unique |foreign key|check |--)\\w+ ", Pattern.MULTILINE);
  private static final Pattern NEW_COLUMN = Pattern.compile("^alter table (\\w+)\\s+add (?:column )?(?!constraint )\\w+", Pattern.MULTILINE);
  private static final Pattern INDEX = Pattern.compile("^create (?:unique )?index ", Pattern.MULTILINE);
  private static final Pattern VIEW = Pattern.compile("^create (?:or replace )?view ", Pattern.MULTILINE);

  private final Map<String, Integer> dependencies = new TreeMap<>();
  private final Map<String, Long> columns = new TreeMap<>();
  private int types;

  void main(String[] args) throws IOException {
    Path project = Path.of(args.length > 0 ? args[0] : ".");
    countSources(files(project.resolve("src/main/java"), ".java"));
    countSchema(files(project.resolve("src/main/resources/db/migration"), ".sql"));
    countWords(project);
  }

  private void countSources(List<Path> sources) throws IOException {
    List<Long> lines = new ArrayList<>();
    for (Path source : sources) {
      lines.add(Files.readString(source).lines().count());
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    var units = compiler.getStandardFileManager(null, null, null).getJavaFileObjectsFromPaths(sources);
    for (var unit : ((JavacTask) compiler.getTask(null, null, null, null, null, units)).parse()) {
      new Types().scan(unit, null);
    }
    print("files", lines.size());
    print("lines", lines.stream().mapToLong(Long::longValue).sum());
    print("files of more than 250 lines", lines.stream().filter(count -> count > 250).count());
    print("types", types);
    print("beans", dependencies.size());
    print("most dependencies of a bean", dependencies.values().stream().max(Comparator.naturalOrder()).orElse(0));
    dependencies.forEach(this::printLarge);
  }

  private void printLarge(String bean, int count) {
    if (count > 9) {
      print("  " + bean, count);
    }
  }

  private void countSchema(List<Path> migrations) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path migration : migrations) {
      text.append(Files.readString(migration)).append('\n');
    }
    Matcher table = TABLE.matcher(text);
    while (table.find()) {
      columns.put(table.group(1), COLUMN.matcher(table.group(2)).results().count());
    }
    NEW_COLUMN.matcher(text).results().forEach(column -> columns.merge(column.group(1), 1L, Long::sum));
    print("migrations", migrations.size());
    print("tables", columns.size());
    columns.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(3)
        .forEach(entry -> print("  columns of " + entry.getKey(), entry.getValue()));
    print("indexes besides keys", INDEX.matcher(text).results().count());
    print("views", VIEW.matcher(text).results().count());
  }

  private void countWords(Path project) throws IOException {
    List<Path> documents = files(project.resolve("docs"), ".md");
    documents.add(project.resolve("README.md"));
    long words = 0;
    for (Path document : documents) {
      words += Pattern.compile("\\S+").matcher(Files.readString(document)).results().count();
    }
    print("words of README.md and docs", words);
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return new ArrayList<>(files.filter(file -> file.toString().endsWith(suffix)).toList());
    }
  }

  private static void print(String what, long count) {
    System.out.printf("%-34s%,8d%n", what, count);
  }

  /** Counts types, and the parameters of the constructors of beans. */
  private class Types extends TreeScanner<Void, Void> {
    @Override
    public Void visitClass(ClassTree type, Void nothing) {
      if (!type.getSimpleName().isEmpty()) {
        types++;
      }
      boolean isBean = type.getModifiers().getAnnotations().stream().anyMatch(a -> SCOPES.contains(a.getAnnotationType().toString()));
      if (isBean) {
        dependencies.put(type.getSimpleName().toString(), parameters(type));
      }
      return super.visitClass(type, nothing);
    }

    private static int parameters(ClassTree type) {
      return type.getMembers().stream()
          .filter(member -> member.getKind() == Tree.Kind.METHOD)
          .map(MethodTree.class::cast)
          .filter(method -> method.getName().contentEquals("<init>"))
          .mapToInt(method -> method.getParameters().size())
          .max()
          .orElse(0);
    }
  }
}

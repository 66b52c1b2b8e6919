package plyground.host;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reflection on a submission's classes, the members of which need not be public. */
final class Mirror {
    private Mirror() {}

    /**
     * Finds a method, inherited or not.
     *
     * @param type the class
     * @param name the method's name
     * @param parameters the types of its parameters
     * @return the method, ready to be called
     * @throws NoSuchMethodException when there is none
     */
    static Method method(Class<?> type, String name, Class<?>... parameters)
            throws NoSuchMethodException {
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            try {
                Method method = owner.getDeclaredMethod(name, parameters);
                method.setAccessible(true);
                return method;
            } catch (NoSuchMethodException missing) {
                // Perhaps it is inherited.
            }
        }
        throw new NoSuchMethodException("its class " + type.getName()
                + " lacks the course's method " + name + list(parameters));
    }

    /**
     * Whether there is a method without parameters, inherited or not.
     *
     * @param type the class
     * @param name the method's name
     * @return whether there is
     */
    static boolean hasMethod(Class<?> type, String name) {
        try {
            method(type, name);
            return true;
        } catch (NoSuchMethodException missing) {
            return false;
        }
    }

    /**
     * Finds the only parameter of a method, inherited or not, of which its package is not known.
     *
     * @param type the class
     * @param name the method's name
     * @param parameter the name of the parameter's class, without its package
     * @return the parameter's class; none when no method has it, or several classes have the name
     */
    static Optional<Class<?>> parameter(Class<?> type, String name, String parameter) {
        Set<Class<?>> found = new HashSet<>();
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            Stream.of(owner.getDeclaredMethods())
                    .filter(method -> method.getName().equals(name))
                    .filter(method -> method.getParameterCount() == 1)
                    .map(method -> method.getParameterTypes()[0])
                    .filter(it -> it.getSimpleName().equals(parameter))
                    .forEach(found::add);
        }
        return found.stream().filter(it -> found.size() == 1).findAny();
    }

    /**
     * Finds a constructor.
     *
     * @param type the class
     * @param parameters the types of its parameters
     * @return the constructor, ready to be called
     * @throws NoSuchMethodException when there is none
     */
    static Constructor<?> constructor(Class<?> type, Class<?>... parameters)
            throws NoSuchMethodException {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException missing) {
            throw new NoSuchMethodException("its class " + type.getName()
                    + " lacks the course's constructor " + type.getSimpleName() + list(parameters));
        }
    }

    private static String list(Class<?>... parameters) {
        return Stream.of(parameters).map(Class::getName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    /**
     * Reads a number from an object.
     *
     * @param object the object
     * @param name the name of a field of type {@code int}, {@code short}, {@code char} or such,
     *     inherited or not
     * @return the number
     * @throws ReflectiveOperationException when there is no such field
     */
    static int number(Object object, String name) throws ReflectiveOperationException {
        return field(object.getClass(), name).getInt(object);
    }

    /**
     * Reads an object from an object.
     *
     * @param object the object
     * @param name the name of a field, inherited or not
     * @return what is in it
     * @throws ReflectiveOperationException when there is no such field
     */
    static Object value(Object object, String name) throws ReflectiveOperationException {
        return field(object.getClass(), name).get(object);
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            try {
                Field field = owner.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException missing) {
                // Perhaps it is inherited.
            }
        }
        throw new NoSuchFieldException(type.getName() + " has no field " + name);
    }
}
